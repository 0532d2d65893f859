"""Find the launch command of a shell script."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from trainc.commandline.argparse import parse, table
from trainc.commandline.quotation import unclosed_quotation
from trainc.commandline.shell import SHELLS, Command, Script, Variables, parse_script, shell_text
from trainc.commandline.word import Word
from trainc.commandline.wrappers import unwrap
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import error
from trainc.launchers.find_launchers import PYTHON, calls
from trainc.launchers.frameworks import started_commands, started_frameworks
from trainc.launchers.registry import COMMANDS, FRAMEWORK_COMMANDS, plugin_commands
from trainc.launchers.unread_commands import SUBMITTERS
from trainc.record import Record
from trainc.span import Source, Span
from trainc.systems.command.reader import slurm
from trainc.systems.command.reader.files_beside import script_beside
from trainc.systems.command.reader.import_advice import import_command
from trainc.systems.command.reader.slurm_options import SlurmOption, is_batch_script, strip_srun
from trainc.systems.command.reader.words import spelling
from trainc.systems.registry import COMMAND_NAMES
from trainc.systems.shared.reader.launch_command import CommandReport, LaunchCommand
from trainc.well_known import MAX_ARGUMENT

READ = (
    "torchrun, deepspeed, accelerate launch, mpirun, tlaunchrun, `python -m` one of their modules, or python train.py"
)
# Wrappers that change nothing for a container's process.
SRUN = "srun"
_TRANSPARENT = frozenset(("exec", "command", "nohup", "time", "nice", "ionice", "setsid", "env", "stdbuf"))
# Commands without an effect on a later one, or whose effect is read.
_HARMLESS = frozenset(
    (
        *(":", "[", "[[", "test", "set", "shopt", "trap", "true", "echo", "printf", "sleep", "wait", "exit", "date"),
        *("pwd", "hostname", "env", "printenv", "nvidia-smi", "ls", "cat", "whoami"),
        *("cd", "tee", "return", "which", "shift"),
    )
)
_INSTALLS = frozenset(("pip", "pip3", "apt", "apt-get", "conda", "mamba", "source", ".", "module", "uv", "poetry"))
_PLAIN = re.compile(r"[a-z][a-z-]{0,19}")
_DEFAULT = re.compile(r"\$\{([A-Za-z_]\w*):?-([^{}$`'\"\\\s]+)\}", re.ASCII)
_MAX_DEPTH = 5  # nested shells


class Candidate(Record):
    """Command that may be the launch command; `step` are srun's options if srun starts it."""

    command: Command
    words: tuple[Word, ...]
    env: Variables
    step: tuple[SlurmOption, ...] | None = None

    @property
    def span(self) -> Span:
        """Position of its first word."""
        span = self.words[0].span
        assert span is not None
        return span


def find_launch(source: Source, report: CommandReport, is_typed: bool) -> LaunchCommand | None:
    """Return the launch command of a script; None with an error if there is none, or several."""
    span = _whole(source)
    batch = slurm.read_batch(source)
    allocated = slurm.variables(batch, report)
    script = parse_script(source.text, span, {**_defaults(source, report), **allocated})
    if script is None:
        reason, where, at = "a bracket or a block is not closed, or it is too long", span.first, None
        if len(source.text) <= MAX_ARGUMENT and (at := unclosed_quotation(source.text)) is not None:
            reason, where = "the quotation that starts here is not closed", source.span_at(at)
        report.diagnostics.append(error(codes.NO_LAUNCH_COMMAND, f"the shell script cannot be read: {reason}", where))
        return None
    flat = [each for command in script.commands for each in _candidates(command, 0, allocated, source)]
    launches = [each for each in flat if _is_launch(each)] or [each for each in flat if _is_program(each)][-1:]
    if len(launches) != 1:
        _report_no_launch(script, flat, launches, span.first, report)
        return None
    (launch,) = launches
    before = flat[: flat.index(launch)]
    launchers = [call for call in calls(launch.words, launch.env, plugins=True) if not call.framework]
    tasks = slurm.apply_batch(batch, launch.step, launchers[0] if launchers else None, report)
    srun = launch.command.words[0].span
    if launch.span.source.name != source.name:
        report.add_change(
            f"the command is that of `{launch.span.source.name}`, without its other commands", launch.span
        )
    elif launch.step is not None and srun is not None:
        report.add_change("`srun` is left out: the job starts the command in every pod", srun)
    _report_others(launch, flat, script, report)
    directory = None if report.settings.get("spec.workingDir") else _directory(before, slurm.chdir(batch), report)
    return LaunchCommand(
        words=launch.words, env=launch.env, directory=directory, span=launch.span, tasks=tasks, is_typed=is_typed
    )


def _whole(source: Source) -> Span:
    last = source.span_at(len(source.text))
    return source.span_at(0).until(last.line, last.column)


def _defaults(source: Source, report: CommandReport) -> Variables:
    """Return the defaults of `${NAME:-default}`, where no other value is certain."""
    defaults: dict[str, set[str]] = {}
    for match in _DEFAULT.finditer(source.text):
        defaults.setdefault(match[1], set()).add(match[2])
    variables: Variables = {}
    for match in _DEFAULT.finditer(source.text):
        name, default = match[1], match[2]
        if len(defaults[name]) == 1 and name not in variables:
            variables[name] = Word(text=default)
            report.add_change(f"`{name}` is `{default}`, the script's default", source.span_at(match.start()))
    return variables


def _candidates(
    command: Command,
    depth: int,
    allocated: Variables,
    source: Source | None = None,
    step: tuple[SlurmOption, ...] | None = None,
) -> list[Candidate]:
    """Return a command without transparent wrappers; of `bash -c TEXT` those of the text, of `bash FILE` the file's.

    `allocated` are the variables that Slurm sets, `source` the script next to which files are.
    """
    words, env = list(command.words), dict(command.env)
    while words and words[0].known and words[0].text.rpartition("/")[2] in (*_TRANSPARENT, SRUN):
        stripped = strip_srun(words) if words[0].text.rpartition("/")[2] == SRUN else None
        if stripped is not None:
            step, words = tuple(stripped[0]), stripped[1]
            continue
        inner = unwrap(words[0].text.rpartition("/")[2], words[1:], env)
        if not inner:
            break
        words = inner
    text = shell_text(words) if words and words[0].text.rpartition("/")[2] in SHELLS else None
    file = script_beside(source, words) if source is not None and text is None and depth < _MAX_DEPTH else None
    script = None
    if text is not None and (text.known or step is not None) and depth < _MAX_DEPTH:
        script = parse_script(text.text, text.span, {**allocated, **env})
    elif file is not None:
        script = parse_script(file.text, _whole(file), {**allocated, **env})
    if script is not None:
        inner_commands = [each.replace(env={**env, **each.env}) for each in script.commands]
        candidates = [
            each for inner in inner_commands for each in _candidates(inner, depth + 1, allocated, source, step)
        ]
        if text is None or text.known or all(map(_has_known_program, candidates)):
            return candidates
    return [Candidate(command=command, words=tuple(words), env=env, step=step)] if words and words[0].span else []


def _has_known_program(candidate: Candidate) -> bool:
    """Return whether only options of a launcher are unknown, in a text with values that only the outer shell knows."""
    launchers = calls(candidate.words, candidate.env, plugins=True)
    words = launchers[0].parsed.program if launchers else candidate.words
    return all(word.known for word in words)


def _is_launch(candidate: Candidate) -> bool:
    words, env = candidate.words, candidate.env
    if words[0].text in COMMAND_NAMES or calls(words, env, plugins=True):
        return True
    return words[0].text.rpartition("/")[2] in FRAMEWORK_COMMANDS and any(started_frameworks(words, env))


def _is_program(candidate: Candidate) -> bool:
    """Return whether a command runs a Python program."""
    words = candidate.words
    name = words[0].text.rpartition("/")[2]
    if not PYTHON.fullmatch(name):
        return name.endswith(".py")
    parsed = parse(table("-u -O -B -E -I -s -S", "-W -X -m -c", abbreviates=False), words[1:])
    module = parsed.options["m"].text if "m" in parsed.options else None
    return "c" not in parsed.options and module not in ("pip", "venv", "ensurepip") and len(words) > 1


def _starts_ray(candidate: Candidate) -> bool:
    return any(call.launcher == "ray" for call in calls(candidate.words, candidate.env, plugins=True))


def _report_no_launch(
    script: Script, flat: list[Candidate], launches: list[Candidate], start: Span, report: CommandReport
) -> None:
    if launches:
        first, second = launches[:2]
        message = "the script has several launch commands; a job has one"
        help_ = "pass one of them: `trainc import command -- COMMAND`"
        if all(_starts_ray(each) for each in launches):
            help_ = "pass the program's command, and set `launch: {ray: {}}` in its job file, which starts the cluster"
        diagnostic = error(
            codes.NO_LAUNCH_COMMAND, message, second.span, help=help_, related=[(first.span, "the first one")]
        )
        report.diagnostics.append(diagnostic)
        return
    hidden = [each for command in script.uncertain for each in _candidates(command, 0, {}) if _is_launch(each)]
    if hidden:
        where = hidden[0].span
        message = "it is not certain that this launch command runs: it is in a block, a subshell, or after `||`"
        help_ = "pass the command alone: `trainc import command -- COMMAND`"
        report.diagnostics.append(error(codes.NO_LAUNCH_COMMAND, message, where, help=help_))
        return
    message, where, advice = "the script has no launch command", start, None
    if flat:
        where = flat[-1].span
        message = f"`{_title(flat[-1])}` is not a launch command that trainc reads"
        inner = next((word for word in flat[-1].words[1:] if _starts_launch(word)), None)
        if (submitter := next(started_commands(flat[-1].words, SUBMITTERS), None)) is not None:
            kind = SUBMITTERS[submitter.name]
            message = f"`{submitter.name}` {kind.effect}"
            advice = f"pass the command that trains: `trainc import command -- {kind.training_command}`"
        elif flat[-1].step is not None:
            advice = import_command(flat[-1].command.words, flat[-1].env, inner)
        elif flat[-1].words[0].text.rpartition("/")[2] in SHELLS:
            advice = "pass the script that it runs as a file"
        else:
            advice = import_command(flat[-1].words, flat[-1].env, inner)
        if is_batch_script(start.source.text):
            message = "the file is a Slurm batch script: " + message
    report.diagnostics.append(error(codes.NO_LAUNCH_COMMAND, message, where, expected=READ, help=advice))


def _starts_launch(word: Word) -> bool:
    name = word.text.rpartition("/")[2]
    return name in COMMANDS or PYTHON.fullmatch(name) is not None or name in plugin_commands()


def _title(candidate: Candidate) -> str:
    """Return the name of a command and of its subcommand, without values, which may be secret."""
    name, *rest = candidate.words
    shown = spelling(name).strip("'\"")[:60]
    return f"{shown} {rest[0].text}" if rest and _PLAIN.fullmatch(rest[0].text) else shown


def _report_others(launch: Candidate, flat: list[Candidate], script: Script, report: CommandReport) -> None:
    """Report the commands next to the launch command, and where its output goes."""
    possible = [each for command in script.uncertain for each in _candidates(command, 0, {})]
    for other in [*flat, *possible]:
        name = other.words[0].text.rpartition("/")[2]
        if other is not launch and name not in _HARMLESS:
            help_ = "install it in the image" if name in _INSTALLS else "do it in the image or in the program"
            report.add_dropped(_title(other), other.span, "a job runs the launch command only", help=help_)
    where = next((file.span for file in launch.command.files if file.span), None)
    if where is not None or launch.command.is_piped:
        message = "the output is not redirected: `kubectl logs` shows it"
        report.add_change(message, where or launch.span)


def _directory(before: Iterable[Candidate], directory: str | None, report: CommandReport) -> str | None:
    """Return the folder that `cd` has changed to, if it is known in a pod; at first it is `directory`."""
    for candidate in before:
        words = candidate.words
        if words[0].text not in ("cd", "pushd") or len(words) != 2:
            continue
        path = words[1].text
        span = words[1].span or candidate.span
        if words[1].known and path.startswith("/"):
            directory = posixpath.normpath(path)
        elif words[1].known and directory is not None and not path.startswith(("~", "-")):
            directory = posixpath.normpath(posixpath.join(directory, path))
        else:
            why = "the directory of the image is not known"
            report.add_dropped(f"cd {spelling(words[1])}", span, why, help="set spec.workingDir")
            directory = None
    return directory
