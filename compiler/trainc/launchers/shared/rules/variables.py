"""PET_ variables that torchrun does not read or cannot parse, and variables that a launcher sets for each process."""

from __future__ import annotations

import re

from trainc.checks.rule import Diagnostics, Remedy, RuleContext, codes, error, remove, rename, replace, warning
from trainc.checks.shared.program_command import program_launcher
from trainc.checks.shared.user_fields import workers
from trainc.commandline.word import parse_count
from trainc.launchers.jax.traits import ADDRESS, PROCESSES
from trainc.launchers.option import Option
from trainc.launchers.registry import launcher_traits
from trainc.launchers.torchrun.options import BY_NAME, OPTIONS
from trainc.launchers.torchrun.spec import Torchrun, is_older, torch_version
from trainc.launchers.torchrun.traits import PREFIX
from trainc.launchers.traits import Traits
from trainc.schema.hints import similar
from trainc.span import Span, span_of

TRIGGERS = ("sets_launcher_variable()", "sets_process_variable()")

# Python's int and float also parse `1_0` and surrounding spaces.
SWITCHES = {**dict.fromkeys(("true", "yes", "on"), "1"), **dict.fromkeys(("false", "no", "off"), "0")}
PARSERS = {"decimal": float, "switch": int, "count": int, "port": int}


def check(context: RuleContext) -> Diagnostics:
    yield from _torchrun_variables(context)
    yield from _unused_variables(context)
    yield from _jax_world(context)


def _torchrun_variables(context: RuleContext) -> Diagnostics:
    """Check the user's variables; the rule `env` reports those that trainc sets too."""
    call = program_launcher(context)
    starts = call is not None and call.launcher.startswith("torch")
    if not isinstance(context.spec.launch, Torchrun) and not starts:
        return
    own = {variable.name for variable in context.job.pod.env if variable.origin is None}
    size = context.job.replicas.maximum
    for variable in context.pod.main.user_variables:
        name, value, where = variable.name, variable.value, variable.span
        if name.startswith(PREFIX) and name not in own:
            yield from _check_variable(context, name, value, where)
            # The rule `world_size` checks the argument --standalone.
            is_standalone = name == f"{PREFIX}STANDALONE" and (value or "").strip().lstrip("+-0").isdecimal()
            if is_standalone and size > 1 and isinstance(context.spec.launch, Torchrun):
                message = f"`standalone` supports 1 worker: each of the {size} workers trains alone"
                related, remedy = workers(context), remove(where)
                yield error(codes.NODE_COUNT_MISMATCH, message, where, help="remove it", related=related, remedy=remedy)
    for name, word in call.env.items() if call is not None and starts else ():
        if name.startswith(PREFIX) and word is not None:
            where = word.span or context.program
            yield from _check_variable(context, name, word.text if word.known else None, where)


def _check_variable(context: RuleContext, name: str, value: str | None, where: Span) -> Diagnostics:
    option_name = name.removeprefix(PREFIX).lower()
    option = BY_NAME.get(option_name)
    if option is None or name != option.variable:
        message = f"torchrun reads no variable `{name}`"
        help_, remedy = _suggestion(option_name, option, where)
        yield warning(codes.UNKNOWN_TORCHRUN_VARIABLE, message, where, help=help_, remedy=remedy)
        return
    torch = torch_version(context.spec)
    if torch is not None and is_older(torch, option.since):
        message = f"torch {torch} ignores `{name}`, which requires {option.since} or newer"
        other = (torch.span, "the job's torch")
        yield warning(codes.UNKNOWN_TORCHRUN_VARIABLE, message, where, related=[other])
    elif value is not None and not _is_readable(option, value):
        kind = "a decimal number" if option.kind == "decimal" else "a whole number"
        message = f"torchrun cannot parse `{name}`: {f'`{value}`' if value else 'an empty string'} is not {kind}"
        help_ = "use 1 for true and 0 for false" if option.kind == "switch" else None
        number, place = SWITCHES.get(value.lower()), span_of(value)
        remedy = replace(place, number, safe=True) if help_ and number and place else None
        yield error(codes.INVALID_TORCHRUN_VARIABLE, message, where, help=help_, remedy=remedy)


def _is_readable(option: Option, value: str) -> bool:
    try:
        PARSERS.get(option.kind, str)(value)
    except ValueError:
        return False
    return True


def _suggestion(name: str, option: Option | None, where: Span) -> tuple[str | None, Remedy | None]:
    if option is not None and option.variable is None and option.field:
        return f"use {option.field}: the option has no environment variable", None
    names = {row.name: row.variable for row in OPTIONS if row.variable}
    intended = similar(name, names, 0.6)
    variable = names[intended] if intended else None
    return (f"did you mean `{variable}`?", rename(where, variable)) if variable else (None, None)


def _unused_variables(context: RuleContext) -> Diagnostics:
    """Report variables that neither the command nor another variable refers to, and that trainc does not set itself."""
    traits = _launcher(context)
    if traits is None or (context.file_kind and not context.in_own_system):  # the translation sets some
        return
    main = context.pod.main
    texts = [*main.words("command"), *main.words("args"), *(each.value or "" for each in main.user_variables)]
    generated = {each.name for each in context.job.pod.env if each.origin is None} if context.is_own else ()
    for variable in main.user_variables:
        name = variable.name
        is_read = any(re.search(rf"\$[({{]?{re.escape(name)}\b", text) for text in texts)
        if name in traits.process_variables and not is_read and name not in generated:
            message = f"`{name}` has no effect: {traits.name} sets it for each process"
            remedy = remove(variable.span, safe=True)
            yield warning(codes.UNUSED_PROCESS_VARIABLE, message, variable.span, help="remove it", remedy=remedy)


def _launcher(context: RuleContext) -> Traits | None:
    """Return the launcher that starts the processes; None for a program that may start any."""
    if context.spec.launch.wraps_program:
        return context.spec.launch.traits
    call = program_launcher(context)
    return launcher_traits("torchrun" if call.grammar.variables else call.launcher) if call is not None else None


def _jax_world(context: RuleContext) -> Diagnostics:
    """Check the variables of jax.distributed; launch.jax sets its own, which the rule `env` compares."""
    variables = {variable.name: variable for variable in context.pod.main.user_variables}
    count, own = context.job.replicas.maximum, {each.name for each in context.job.pod.env if each.origin is None}
    processes, address = variables.get(PROCESSES), variables.get(ADDRESS)
    world = parse_count(processes.value or "") if processes is not None and PROCESSES not in own else None
    if (
        processes is not None
        and world is not None
        and not context.job.replicas.elastic
        and (not world or world % count)
    ):
        message = f"`{PROCESSES}` is {world}, but the job has {count} worker{'s' * (count > 1)}"
        message += ": the processes wait for others until they abort" if world > count else ""
        help_ = context.cure("remove it, and use launch.jax", f"set it to {count}")
        yield error(codes.JAX_WORLD, message, processes.span, help=help_, related=workers(context))
    if address is not None and address.value and ADDRESS not in own and ":" not in address.value:
        message = f"`{ADDRESS}` is `{address.value}`, without a port: jax.distributed.initialize fails"
        yield error(codes.JAX_WORLD, message, address.span, help=f"set it to {address.value}:29500")
