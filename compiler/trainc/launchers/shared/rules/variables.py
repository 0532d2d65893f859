"""PET_ variables that torchrun does not read or cannot parse."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Remedy, RuleContext, codes, error, remove, rename, replace, warning
from trainc.checks.shared.program_command import program_launcher
from trainc.checks.shared.user_fields import workers
from trainc.launchers.option import Option
from trainc.launchers.torchrun.options import BY_NAME, OPTIONS
from trainc.launchers.torchrun.spec import Torchrun, is_older, torch_version
from trainc.launchers.torchrun.traits import PREFIX
from trainc.schema.hints import similar
from trainc.span import Span, span_of

TRIGGERS = ("sets_launcher_variable()",)

# Python's int and float also parse `1_0` and surrounding spaces.
SWITCHES = {**dict.fromkeys(("true", "yes", "on"), "1"), **dict.fromkeys(("false", "no", "off"), "0")}
PARSERS = {"decimal": float, "switch": int, "count": int, "port": int}


def check(context: RuleContext) -> Diagnostics:
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
            where = word.span or context.spec.run.where(context.spec.run.kind)
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
