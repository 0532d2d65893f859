"""Command line of the training container, the launcher in it, and files that the job ships for it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainc.checks.rule import Remedy, RuleContext, remove, rewrite
from trainc.checks.shared.user_fields import gpu_count
from trainc.commandline.argparse import ParsedOption
from trainc.commandline.shell import SHELLS
from trainc.commandline.word import UNKNOWN, Word, words
from trainc.launchers.find_launchers import Call, calls
from trainc.launchers.frameworks import FRAMEWORKS, VARIABLES, starts_on
from trainc.launchers.registry import FRAMEWORK_MENTIONS, SHELL_SCRIPTS, VARIABLE_PREFIXES
from trainc.launchers.script_files import config_map_text, inline_script
from trainc.record import Record
from trainc.span import Span

# Programs that expand variables in their arguments, or pass them to a shell.
EXPANDS = SHELLS | {"eval", "ssh", "su", "runuser", "envsubst", "make", "xargs", "parallel"}


class ProgramCommand(Record):
    """Command line of the program; `wrapped` if the job's launcher, which is not part of it, starts it."""

    argv: list[Word]
    wrapped: bool
    where: Span


def program_command(context: RuleContext) -> ProgramCommand:
    """Return the program, or the command in podTemplate that replaces it; empty in mode debug.

    A shell script that the job ships is the text of `sh -c`.
    """
    command = _command(context)
    if not any(word.text.endswith(SHELL_SCRIPTS) for word in command.argv):
        return command
    read = partial(shipped_text, context)
    return command.replace(argv=inline_script(command.argv, context.spec.working_dir, read))


def _command(context: RuleContext) -> ProgramCommand:
    run, launch = context.spec.run, context.spec.launch
    where = run.where(run.kind)
    if context.spec.mode.name == "debug":
        return ProgramCommand(argv=[], wrapped=False, where=where)
    main = context.pod.main
    patched = next((field for field in ("command", "args") if main.is_patched(field)), None)
    if patched is not None:
        argv = words(main.words("command") + main.words("args"))
        return ProgramCommand(argv=argv, wrapped=False, where=main.node.where(patched))
    before = {"python": ["python3"], "module": ["python3", "-m"], "exec": [], "entrypoint": [UNKNOWN]}[run.kind]
    argv = [*(Word(text=word) for word in before), *words(run.words)]
    return ProgramCommand(argv=argv, wrapped=launch.wraps_program, where=where)


def world_options_help(context: RuleContext, call: Call) -> str:
    """Return the options that a framework's command needs for the world of the job; empty if it takes none."""
    options = FRAMEWORKS[call.framework].world_options if call.framework else ""
    if not options or context.file_kind:
        return ""
    # Other launchers set no RANK for their command.
    start = "use `launch: {basic: {}}`, and pass" if context.spec.launch.traits.has_processes else "pass"
    return f"{start} `{options.format(context.job.most_workers)}`"


def before_shell(argv: list[Word]) -> Iterator[Word]:
    """Yield the arguments that reach a program as they are; the first ones of an image's entrypoint may be a script."""
    for index, word in enumerate(argv):
        name = word.base_name
        if name in EXPANDS or name.endswith(SHELL_SCRIPTS):
            return
        if not (index == 1 and argv[0].text == UNKNOWN):
            yield word


def program_launcher(context: RuleContext) -> Call | None:
    """Return the launcher that the program starts; None for several, each of which may have its own world."""
    command = program_command(context)
    if command.wrapped:
        return None
    launchers = calls(command.argv, {**_framework_variables(context), **known_variables(context)})
    call = launchers[0] if len(launchers) == 1 else None
    if call is not None and call.framework:
        return call if starts_on(call.framework, call.env, gpu_count(context) or 0) else None
    return call


def _framework_variables(context: RuleContext) -> dict[str, Word | None]:
    """Return the variables that trainc sets and commands of frameworks read."""
    argv = program_command(context).argv
    if not any(name in f"{word.text} " for word in argv for name in FRAMEWORK_MENTIONS):
        return {}
    values = {each.name: each.value for each in context.job.pod.env if each.name in VARIABLES}
    return {name: Word(text=value if isinstance(value, str) else UNKNOWN) for name, value in values.items()}


def remove_option(option: ParsedOption | None) -> Remedy | None:
    """Return the remedy that removes an option and its value, which may be an argument of its own."""
    if option is None:
        return None
    if option.value is None or "=" in option.flag.text:
        return remove(option.flag.span)
    return remove(option.flag.span, option.value.span)


def set_option(option: ParsedOption | None, text: str) -> Remedy | None:
    """Return the remedy that changes the value of an option, also inside of a script."""
    if option is None or option.value is None:
        return None
    flag, equals, _ = option.flag.text.partition("=")
    return rewrite(option.flag.span, f"{flag}={text}") if equals else rewrite(option.value.span, text)


def known_variables(context: RuleContext) -> dict[str, Word | None]:
    """Return the user's variables for shell expansion, without torchrun's, which other rules check."""
    return {
        variable.name: Word(text=UNKNOWN) if variable.value is None else words([variable.value])[0]
        for variable in context.pod.main.user_variables
        if not variable.name.startswith(tuple(VARIABLE_PREFIXES.values()))
    }


def may_set(context: RuleContext, name: str) -> bool:
    """Return whether the job sets a variable, or may by envFrom."""
    names = {variable.name for variable in context.pod.main.user_variables}
    return name in names or bool(context.spec.env_from)


def call_span(context: RuleContext, call: Call, option: ParsedOption | None = None) -> Span:
    """Return the position of an option of the program's launcher, else of the launcher's name, else of the program."""
    run = context.spec.run
    return (option.flag.span if option else None) or call.name.span or run.where(run.kind)


def shipped_text(context: RuleContext, path: str) -> str | None:
    """Return the text of a file in the training container; None if the input does not have it."""
    mount = context.pod.mount_of(path)
    if mount is None:
        return None
    return config_map_text(path, mount.path, mount.sub_path, mount.volume, context.job.file_maps, context.config_maps)
