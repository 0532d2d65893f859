"""torchrun of the job or of its program: a command that torch lacks, and a grace period that ends before its timeout.

LaunchConfig of https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/launcher/api.py: the option, else the
variable, else 30 s.
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, put, warning
from trainc.checks.shared.program_command import call_span, program_launcher
from trainc.commandline.word import parse_count
from trainc.launchers.torchrun.options import BY_NAME
from trainc.launchers.torchrun.spec import COMMAND_SINCE, MODULE_SINCE, Torchrun, is_older, torch_version
from trainc.launchers.torchrun.traits import TORCHELASTIC, TRAITS
from trainc.span import Span
from trainc.well_known import GRACE_PERIOD

TRIGGERS = (
    "launch.torchrun.torchVersion",
    "names_old_torch()",
    "launch.torchrun.shutdownTimeout",
    "lifecycle.terminationGracePeriodSeconds",
    "sets_shutdown_timeout()",
)

MODULE = "torch.distributed.run"
FIELD = "terminationGracePeriodSeconds"
VARIABLES = (TRAITS.shutdown_variable, "TORCH_ELASTIC_SHUTDOWN_TIMEOUT")  # the first one counts
DEFAULT = TRAITS.shutdown_timeout or 0


def check(context: RuleContext) -> Diagnostics:
    yield from _command(context)
    yield from _shutdown(context)


def _command(context: RuleContext) -> Diagnostics:
    """Check the launcher that trainc starts, else the one on the program's command line."""
    torch = torch_version(context.spec)
    if torch is None or not is_older(torch, COMMAND_SINCE):
        return
    launch, call = context.spec.launch, program_launcher(context)
    if isinstance(launch, Torchrun) and launch.is_torchelastic:
        return
    if isinstance(launch, Torchrun) and launch.wraps_program:
        name, where = launch.module or TRAITS.command, launch.span_of("module") or context.launch_key
        field = "" if context.file_kind or context.in_own_system else f" (`launch.torchrun.module: {MODULE}`)"
    elif call is not None and call.launcher == TRAITS.name:
        name, where, field = call.name.base_name, call_span(context, call), ""
    else:
        return
    if is_older(torch, MODULE_SINCE) or name == TRAITS.command:
        since = COMMAND_SINCE if name == TRAITS.command else MODULE_SINCE
        message = f"torch {torch} has no `{name}`, which requires {since} or newer"
        help_ = f"use `python3 -m {MODULE}`{field}"
        remedy = put("spec.launch.torchrun.module", MODULE, safe=True) if field else None
        if is_older(torch, MODULE_SINCE):
            help_ = f"use an image with torch {COMMAND_SINCE} or newer, or `python3 -m {TORCHELASTIC}`"
            remedy = None
        related = [(torch.span, "the job's torch")]
        yield error(codes.TORCHRUN_MISSING, message, where, help=help_, related=related, remedy=remedy)


def _shutdown(context: RuleContext) -> Diagnostics:
    """Compare the grace period with the timeout. trainc derives one from the other, an operator does not."""
    if _starts_torchelastic(context):  # which handles no SIGTERM
        return
    lifecycle = context.spec.lifecycle
    grace = lifecycle.termination_grace_period_seconds
    derives = context.is_own or not context.in_own_system
    is_derived = context.job.launch.shutdown_timeout is not None and derives
    timeout, where = _timeout(context, VARIABLES[:1] if is_derived else VARIABLES)
    if timeout is None:
        return
    if where is not None and timeout >= (GRACE_PERIOD if grace is None else grace):
        actual = f"{GRACE_PERIOD} s (the default)" if grace is None else f"{grace} s"
        message = f"the shutdown timeout of {timeout} s is not below the grace period of {actual}"
        related = [] if grace is None else [(lifecycle.where(FIELD), "the grace period")]
        help_ = f"set lifecycle.{FIELD} to more than {timeout}"
        yield warning(codes.GRACE_PERIOD_TOO_SHORT, message, where, help=help_, related=related)
    elif where is None and grace is not None and grace < timeout and not is_derived:
        message = f"the grace period of {grace} s ends before torchrun's shutdown timeout of {timeout} s"
        help_ = f"raise it to more than {timeout}, or set {VARIABLES[1]} to less than {grace} in env"
        yield warning(codes.GRACE_PERIOD_TOO_SHORT, message, lifecycle.where(FIELD), help=help_)


def _starts_torchelastic(context: RuleContext) -> bool:
    launch, call = context.spec.launch, program_launcher(context)
    is_launch = isinstance(launch, Torchrun) and launch.is_torchelastic
    return is_launch or (call is not None and call.name.text == TORCHELASTIC)


def _timeout(context: RuleContext, variables: tuple[str, ...]) -> tuple[int | None, Span | None]:
    """Return torchrun's timeout and where it is set, None for the default; no timeout if torchrun does not run."""
    launch, call = context.spec.launch, program_launcher(context)
    if call is not None and call.grammar.variables:
        option = call.parsed.options.get("shutdown_timeout")
        if option is not None:
            return parse_count(option.text), call_span(context, call, option)
    elif not isinstance(launch, Torchrun):
        return None, None
    if isinstance(launch, Torchrun) and launch.shutdown_timeout is not None:
        return launch.shutdown_timeout, launch.where("shutdownTimeout")
    torch = torch_version(context.spec)
    if torch is not None and is_older(torch, BY_NAME["shutdown_timeout"].since):
        return DEFAULT, None  # it ignores the variables
    values = {variable.name: variable for variable in context.pod.main.user_variables}
    for name in variables:
        if name in values:
            return parse_count(values[name].value), values[name].span
    return DEFAULT, None
