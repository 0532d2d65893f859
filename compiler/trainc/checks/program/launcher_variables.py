"""Variables that torchrun would not read, and values that end it before it has started."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.checks.shared.launchers import launcher
from trainc.checks.shared.user_fields import variables, workers
from trainc.commandline.tables import COUNTS, DECIMALS, SINCE, SWITCHES, WITHOUT_VARIABLE
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error, warning
from trainc.launchers.torchrun.rules.torch_version import numbers
from trainc.launchers.torchrun.spec import Torchrun
from trainc.span import Span

TRIGGERS = ("sets_pet_variable()",)

PREFIX = "PET_"
FIELDS = {"numa_binding": "launch.torchrun.numaBinding", "logs_specs": "launch.torchrun.logsSpecs"}


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """The user's own; what trainc sets itself is for the rule `env`."""
    call = launcher(context)
    starts = call is not None and call.launcher.startswith("torch")
    if not isinstance(context.spec.launch, Torchrun) and not starts:
        return
    own = {variable.name for variable in context.job.pod.env if variable.origin is None}
    for name, value, where in variables(context):
        if name.startswith(PREFIX) and name not in own:
            yield from _one(context, name, value, where)
            yield from _alone(context, name, value, where)
    for name, word in call.env.items() if call is not None and starts else ():
        if name.startswith(PREFIX) and word is not None:
            where = word.span or context.spec.run.where(context.spec.run.kind)
            yield from _one(context, name, word.text if word.known else None, where)


def _one(context: RuleContext, name: str, value: str | None, where: Span) -> Iterator[Diagnostic]:
    option = name.removeprefix(PREFIX).lower()
    if option not in SINCE or option in WITHOUT_VARIABLE or name != name.upper():
        yield warning(
            codes.UNKNOWN_TORCHRUN_VARIABLE, f"torchrun reads no variable `{name}`", where, help=_meant(option)
        )
        return
    launch = context.spec.launch
    version = launch.torch_version if isinstance(launch, Torchrun) else None
    if isinstance(launch, Torchrun) and version is not None and numbers(version) < numbers(SINCE[option]):
        message = f"torch {version} ignores `{name}`, which needs {SINCE[option]} or newer"
        other = Related(span=launch.where("torchVersion"), message="the job's torch")
        yield warning(codes.UNKNOWN_TORCHRUN_VARIABLE, message, where, related=[other])
    elif value is not None and not _is_readable(option, value):
        kind = "a decimal number" if option in DECIMALS else "a whole number"
        message = f"torchrun ends at `{name}`: {value or 'an empty string'} is not {kind}"
        help_ = "1 is yes and 0 is no" if option in SWITCHES else None
        yield error(codes.INVALID_TORCHRUN_VARIABLE, message, where, help=help_)


def _alone(context: RuleContext, name: str, value: str | None, where: Span) -> Iterator[Diagnostic]:
    """What the argument does, which launcher_world looks for in the program."""
    several = context.job.replicas.maximum > 1 and isinstance(context.spec.launch, Torchrun)
    if several and name == "PET_STANDALONE" and value is not None and value.strip().lstrip("+-0").isdecimal():
        message = f"standalone is for one worker; each of {context.job.replicas.maximum} would train alone"
        yield error(codes.NODE_COUNT_MISMATCH, message, where, help="leave it out", related=workers(context))


def _is_readable(option: str, value: str) -> bool:
    """As Python's int and float read it, `1_0` and blanks around included."""
    read = int if option in SWITCHES | COUNTS else float if option in DECIMALS else str
    try:
        read(value)
    except ValueError:
        return False
    return True


def _meant(option: str) -> str | None:
    if option in FIELDS:
        return f"it is an argument only: use {FIELDS[option]}"
    from difflib import get_close_matches

    names = [name for name in SINCE if name not in WITHOUT_VARIABLE]
    near = get_close_matches(option, names, 1, 0.6)
    return f"did you mean `{PREFIX}{near[0].upper()}`?" if near else None
