"""Grace period that ends before torchrun's own timeout between SIGTERM and SIGKILL.

LaunchConfig of https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/launcher/api.py: the option, else the
variable, else 30 s.
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.checks.shared.program_command import call_span, program_launcher
from trainc.commandline.word import parse_count
from trainc.launchers.torchrun.options import BY_NAME
from trainc.launchers.torchrun.spec import Torchrun, is_older, torch_version
from trainc.launchers.torchrun.traits import TORCHELASTIC, TRAITS
from trainc.span import Span
from trainc.well_known import GRACE_PERIOD

TRIGGERS = ("launch.torchrun.shutdownTimeout", "lifecycle.terminationGracePeriodSeconds", "sets_shutdown_timeout()")

FIELD = "terminationGracePeriodSeconds"
VARIABLES = (TRAITS.shutdown_variable, "TORCH_ELASTIC_SHUTDOWN_TIMEOUT")  # the first one counts
DEFAULT = TRAITS.shutdown_timeout or 0


def check(context: RuleContext) -> Diagnostics:
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
