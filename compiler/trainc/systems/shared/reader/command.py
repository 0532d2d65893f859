"""Translate a container's command and arguments to `launch` and `run`.

A launcher whose options have fields is removed from the command line. The command line stays unchanged if a shell,
another launcher or a contradicting option prevents that; then torchrun reads the variables that trainc sets.
"""

from __future__ import annotations

from itertools import dropwhile
from typing import Any

from trainc.commandline.shell import shell_text
from trainc.commandline.word import Word
from trainc.launchers.accelerate.reader import read_accelerate
from trainc.launchers.deepspeed.reader import read_deepspeed
from trainc.launchers.find_launchers import Call, calls
from trainc.launchers.option_fields import OptionFields
from trainc.launchers.ray.reader import ClusterScript, read_cluster_script
from trainc.launchers.registry import MODULES, is_read_by_options
from trainc.launchers.torchrun.options import MODULES as LAUNCHER_MODULES
from trainc.launchers.torchrun.reader import read_torchrun, read_torchrun_env
from trainc.record import Record
from trainc.span import Text, span_of
from trainc.systems.shared.reader.injected_env import (
    InjectedEnv,
    expand_arguments,
    parse_single_command,
    referenced_variables,
    required_variables,
)
from trainc.systems.shared.reader.option_variables import option_variables, remove_option_variables
from trainc.systems.shared.reader.own_command import read_own_command
from trainc.systems.shared.reader.pod import TranslatedPod

# Folders on PATH that contain the launchers of common images. A launcher elsewhere must be that very file.
FOLDERS = ("", "/usr/local/bin", "/usr/bin", "/bin", "/opt/conda/bin")
PYTHONS = ("python", "python3")
# Notes on launchers that stay in the command line.
UNCHANGED = {
    "deepspeed": "deepspeed runs unchanged, with a world per pod; launch.deepspeed makes one world of all workers",
    "accelerate": "accelerate runs unchanged, with RANK, MASTER_ADDR and MASTER_PORT; launch.accelerate makes one world"
    " of all workers",
    "ray": "`ray start` runs unchanged in each pod; launch.ray makes one cluster of all workers",
    "ray job": "`ray job submit` runs unchanged in each pod; with launch.ray the program runs once, on worker 0",
    "mpirun": "mpirun runs unchanged, without a hostfile: trainc starts the program in every pod itself",
}
WITHOUT_SSH = "deepspeed runs unchanged, with --no_ssh: each worker starts its processes itself"
BASIC: dict[str, Any] = {"basic": {}}


class TranslatedCommand(Record):
    """`launch` and `run`, and the other system's variables that the program needs."""

    launch: dict[str, Any]
    run: dict[str, Any]
    env: dict[str, str] = {}


def translate_command(pod: TranslatedPod, injected: InjectedEnv) -> TranslatedCommand:
    """Return how the training container starts its program; without variables that have become fields.

    If trainc emitted the job, the command line may be one that trainc writes.
    """
    own = _own_command(pod, injected) if pod.container.report.is_own else None
    if own is not None:
        return own
    translation = _Translation(pod, injected)
    command = translation.translate()
    if "torchrun" in command.launch:
        remove_option_variables(pod, translation.variables, command.launch["torchrun"].get("wrap", True))
    return command


def _own_command(pod: TranslatedPod, injected: InjectedEnv) -> TranslatedCommand | None:
    """Translate a command line that trainc writes; None for any other."""
    own = read_own_command([*pod.command, *pod.args])
    if own is None:
        return None
    name, fields, kind, program = own
    if kind:
        return TranslatedCommand(launch={name: fields}, run={kind: program})
    command = translate_command(pod.replace(command=program, args=[]), injected)
    return command.replace(launch={name: {**command.launch.get(name, {}), **fields}})


class _Translation:
    """Translation of one command line."""

    def __init__(self, pod: TranslatedPod, injected: InjectedEnv) -> None:
        self.has_command = bool(pod.command)
        self.words: list[Text] = [*pod.command, *pod.args]
        self.injected = injected
        self.report = pod.container.report
        self.variables = option_variables(pod)
        try:
            read_torchrun_env(injected, None, self.variables)
        except ValueError:  # an endpoint for one worker only
            self.variables = {}
        # launch.basic's WORLD_SIZE never counts processes.
        self.needs_torchrun = injected.elastic or injected.starts_torchrun or injected.counts_processes

    def translate(self) -> TranslatedCommand:
        """Return the program without its launcher if possible, else the command line unchanged."""
        if not self.has_command:
            return self._unchanged("entrypoint", self.words, self._launch_of_unknown())
        line = arguments = expand_arguments(self.words, self.injected.variables)
        script = shell_text(arguments)
        if script is not None and (cluster := read_cluster_script(script)) is not None:
            command = self._cluster(cluster, script)
            if command is not None:
                return command
        if script is not None:
            line = parse_single_command(arguments, script, self.injected.variables) or []
        typed = {id(word.span): word for word in self.words} if line is arguments else {}
        command = self._without_launcher(line, typed) if line else None
        return command or self._with_launcher(calls(arguments, plugins=True))

    def _cluster(self, cluster: ClusterScript, script: Word) -> TranslatedCommand | None:
        """Return launch.ray in place of a script that starts a Ray cluster; None after a note if it stays."""
        where = cluster.where or script.span
        assert where is not None
        obstacle = cluster.obstacle
        if self.injected.minimum != self.injected.maximum or self.needs_torchrun:
            obstacle = "its number of workers changes"
        if obstacle:
            help_ = "keep it, or use `{launch: {ray: {}}}` with the program that uses the cluster"
            message = f"the script is unchanged, and starts the Ray cluster itself: {obstacle}"
            self.report.add_change(message, where, help=help_)
            return None
        message = "launch.ray starts the cluster in place of the script, waits for all workers and stops it"
        self.report.add_change(message, where)
        fields = dict(cluster.fields)
        if fields.get("numGpus") == self.injected.gpus:
            del fields["numGpus"]
        kind, words = split_python([Text(word.text, word.span or where) for word in cluster.program])
        return TranslatedCommand(launch={Text("ray", where): fields}, run={_key(kind, words): words})

    def _without_launcher(self, line: list[Word], typed: dict[int, Text]) -> TranslatedCommand | None:
        """Return the program without its launcher; None if options of the launcher would be lost.

        `typed` are the arguments before expansion by their spans, if the words of the line are arguments.
        """
        launchers = calls(line, plugins=True)
        if not launchers:
            return self._program(line, typed)
        call = self._with_variables(launchers[0])
        words = call.parsed.program
        is_on_path = _is_first(call, line) and line[0].text.rpartition("/")[0] in FOLDERS
        is_readable = len(launchers) == 1 and call.parsed.complete
        if not (is_on_path and is_readable and words) or any(word.splits for word in words):
            return None
        fields, env = None, {}
        program = [_as_typed(word, typed) for word in words]
        kind = "module" if call.option("module") else "exec" if call.option("no_python") else "python"
        if call.launcher == "deepspeed":
            fields = read_deepspeed(call, self.injected)
        elif call.launcher == "accelerate":
            fields, kind = read_accelerate(call, self.injected) or (None, "")
        elif _is_torchrun(call):
            fields, used = read_torchrun(call, self.injected, self.report), referenced_variables(program)
            env = {name: value for name, value in self.injected.replacements.items() if name in used}
        elif is_read_by_options(call.launcher):
            fields, kind = self._read_options(call)
        if fields is None:
            return None
        is_static = fields.get("rendezvous", {}).get("backend") == "static"
        if not is_static and any("PET_" in value for value in env.values()):
            return None  # only the static rendezvous has these variables
        launcher = "torchrun" if _is_torchrun(call) else call.launcher
        where = call.name.span
        launch = {Text(launcher, where) if where else launcher: fields}
        return TranslatedCommand(launch=launch, run={_key(kind, program): program}, env=env)

    def _read_options(self, call: Call) -> tuple[dict[str, Any] | None, str]:
        """Return the fields by the launcher's table of options, None if it has another number of workers."""
        try:
            fields = OptionFields(call.launcher, call.parsed.options)
        except ValueError:
            return None, ""
        minimum, maximum = self.injected.minimum, self.injected.maximum
        if minimum != maximum or fields.workers not in (None, maximum):
            return None, ""
        fields.report_own(self.report)
        return fields.section, fields.kind

    def _with_variables(self, call: Call) -> Call:
        """Return a launcher with the options of torchrun's variables, which its arguments override."""
        if not (_is_torchrun(call) and self.variables):
            return call
        return call.replace(parsed=call.parsed.replace(options={**self.variables, **call.parsed.options}))

    def _program(self, line: list[Word], typed: dict[int, Text]) -> TranslatedCommand | None:
        """Return a program without a launcher."""
        if any(word.splits or _names_torchrun(word.text) for word in line):
            return None
        program = [_as_typed(word, typed) for word in line]
        kind, words = split_python(program)
        if kind != "exec" and not self.needs_torchrun:
            return self._unchanged(kind, words, BASIC)
        return self._unchanged("exec", program, self._launch_of_unknown()) if shell_text(line) is None else None

    def _with_launcher(self, launchers: list[Call]) -> TranslatedCommand:
        """Return the command line unchanged."""
        words, call = self.words, launchers[-1] if len(launchers) == 1 else None
        reads_pet = any(name.startswith("PET_") for name in referenced_variables(words))  # launch.basic has none
        is_complete = call is not None and self.injected.sets_master_addr and _is_fully_configured(call)
        if is_complete and not (self.injected.counts_processes or reads_pet):
            return self._unchanged("exec", words, BASIC)
        starts_torchrun = _is_torchrun(call) if call else any(_names_torchrun(word) for word in words)
        launch = self._unwrapped_torchrun(call) if starts_torchrun else self._launch_of_unknown()
        if call is not None and starts_torchrun:
            message = f"the command line is unchanged: {call.launcher} reads trainc's PET_ variables"
            self.report.add_change(message, call.name.span or words[0].span)
        elif launchers and launchers[0].launcher in UNCHANGED:
            starts_itself = launchers[0].launcher == "deepspeed" and launchers[0].option("no_ssh") is not None
            note = WITHOUT_SSH if starts_itself else UNCHANGED[launchers[0].launcher]
            self.report.add_change(note, launchers[0].name.span or words[0].span)
        return self._unchanged("exec", words, launch)

    def _unchanged(self, kind: str, words: list[Text], launch: dict[str, Any]) -> TranslatedCommand:
        env = required_variables(launch, kind, words, self.injected, self.report)
        return TranslatedCommand(launch=dict(launch), run={_key(kind, words): words}, env=env)

    def _launch_of_unknown(self) -> dict[str, Any]:
        """Return `launch` of a program that cannot be inspected; an elastic policy configures torchrun."""
        return self._unwrapped_torchrun(None) if self.needs_torchrun else BASIC

    def _unwrapped_torchrun(self, call: Call | None) -> dict[str, Any]:
        return {"torchrun": {"wrap": False, **read_torchrun_env(self.injected, call, self.variables)}}


def split_python(program: list[Text]) -> tuple[str, list[Text]]:
    """Return the kind of a program and its words, without the Python that trainc starts: python, module or exec.

    trainc starts `python3 -u`. `python` can be another one in the image, and stays.
    """
    if program[0] == "python3":
        rest = list(dropwhile(lambda word: word == "-u", program[1:]))
        if len(rest) > 1 and rest[0] == "-m":
            return "module", rest[1:]
        if rest and not rest[0].startswith("-"):
            return "python", rest
    return "exec", program


def _key(kind: str, words: list[Text]) -> str:
    """Return the field of the program, at the position of its first word."""
    where = span_of(words[0]) if words else None
    return Text(kind, where) if where else kind


def _is_fully_configured(call: Call) -> bool:
    """Return whether torchrun's options leave nothing that PET_ variables could set."""
    options = call.parsed.options
    endpoint = ("rdzv_endpoint",) if "rdzv_backend" in options else ("master_addr", "node_rank")
    return _is_torchrun(call) and all(name in options for name in ("nnodes", "nproc_per_node", *endpoint))


def _is_first(call: Call, line: list[Word]) -> bool:
    """Return whether nothing but a Python interpreter precedes the launcher."""
    first = line[0].text.rpartition("/")[2]
    if call.name is line[0]:
        return True
    if call.name.text not in MODULES or first not in PYTHONS or call.name not in line:
        return False
    before = [word.text for word in line[1 : line.index(call.name)]]
    return before in (["-m"], ["-u", "-m"])


def _is_torchrun(call: Call) -> bool:
    return call.launcher.startswith("torch") and not call.framework


def _names_torchrun(word: str) -> bool:
    return any(name in word for name in ("torchrun", *LAUNCHER_MODULES))


def _as_typed(word: Word, typed: dict[int, Text]) -> Text:
    """Return the argument before expansion: the kubelet expands `$(NAME)` in trainc's pods too."""
    assert word.span is not None
    return typed.get(id(word.span)) or Text(word.text, word.span)
