"""A launcher that is started by the job's own launcher: once for each of its processes."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.checks.shared.launchers import launch_key, started
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error, warning
from trainc.launchers.find_launchers import Call, calls
from trainc.launchers.torchrun.spec import Torchrun

TRIGGERS = ("starts_launcher()",)

# These start one process and pass the outer launcher's variables on, if they are told to.
MAY_WORK = frozenset(("accelerate", "mpirun"))


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """One for all that are inside: the cure is the same."""
    program = started(context)
    if not program.wrapped:
        return
    for call in calls(program.argv):
        yield _nested(context, call, outer="torchrun" if isinstance(context.spec.launch, Torchrun) else "deepspeed")
        return


def _nested(context: RuleContext, call: Call, outer: str) -> Diagnostic:
    where = call.name.span or context.spec.run.where(context.spec.run.kind)
    other = Related(span=launch_key(context), message="starts the program already")
    message = f"{outer} would start {call.launcher} in each of its processes"
    help_ = f"leave {call.launcher} and its options out, and name the program that it starts"
    if isinstance(context.spec.launch, Torchrun) and call.launcher.startswith("torch"):
        help_ += ", or say wrap: false if the program has to start it itself"
    severity = warning if call.launcher in MAY_WORK else error
    return severity(codes.NESTED_LAUNCHER, message, where, help=help_, related=[other])
