"""Command of a framework that submits a job of its own in place of training in the job's pods.

The sources are those of launchers/submitters.py.
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, note, warning
from trainc.checks.shared.program_command import known_variables, program_command
from trainc.launchers.frameworks import started_commands
from trainc.launchers.submitters import SUBMITTERS

TRIGGERS = ("starts_launcher()",)


def check(context: RuleContext) -> Diagnostics:
    """Report the first one, unless the job's launcher starts it: under torchrun nemo trains itself."""
    program = program_command(context)
    start = next(started_commands(program.argv, SUBMITTERS, known_variables(context)), None)
    if start is None or (program.wrapped and not SUBMITTERS[start.name].submits_always):
        return
    submitter = SUBMITTERS[start.name]
    where = start.command.span or context.spec.run.where(context.spec.run.kind)
    severity = warning if submitter.submits_always else note
    message = f"`{start.name}` {submitter.effect}: what it starts is not checked"
    yield severity(codes.SUBMITTER, message, where, help=submitter.advice)
