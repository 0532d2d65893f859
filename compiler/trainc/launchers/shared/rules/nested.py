"""Launcher started by the job's own launcher, once per process."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.checks.shared.program_command import launch_key, program_command
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error, warning
from trainc.launchers.find_launchers import Call, calls

TRIGGERS = ("starts_launcher()",)

# These can be configured to start one process and pass the outer launcher's variables on.
MAY_WORK = frozenset(("accelerate", "mpirun"))


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Report the first nested launcher only: the fix covers all."""
    program = program_command(context)
    if not program.wrapped:
        return
    for call in calls(program.argv):
        yield _nested(context, call, outer=context.spec.launch.traits.name)
        return


def _nested(context: RuleContext, call: Call, outer: str) -> Diagnostic:
    where = call.name.span or context.spec.run.where(context.spec.run.kind)
    other = Related(span=launch_key(context), message="already starts the program")
    message = f"{outer} starts `{call.launcher}` once per process, and each starts processes again"
    help_ = f"remove {call.launcher} and its options, and name the program that it starts"
    if context.spec.launch.traits.variable_prefix and call.grammar.variables:
        help_ += f", or set `wrap: false` if the program starts {outer} itself"
    severity = warning if call.launcher in MAY_WORK else error
    return severity(codes.NESTED_LAUNCHER, message, where, help=help_, related=[other])
