"""Launcher behind a command whose options trainc does not know: nothing about it is checked."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, note
from trainc.checks.shared.program_command import known_variables, program_command
from trainc.commandline.wrappers import is_wrapper
from trainc.launchers.unknown_wrapper import hidden_launcher

TRIGGERS = ("starts_launcher()",)

SLURM = ("srun", "sbatch", "salloc")  # slurm_command reports them


def check(context: RuleContext) -> Diagnostics:
    """Report the first one."""
    hidden = hidden_launcher(program_command(context).argv, known_variables(context))
    if hidden is None or hidden.name in SLURM:
        return
    where = hidden.command.span or context.spec.run.where(context.spec.run.kind)
    message = f"`{hidden.name}` is no wrapper that trainc knows: {hidden.call.launcher} behind it is not checked"
    if is_wrapper(hidden.name):
        message = f"`{hidden.name}` has options that trainc does not know: {hidden.call.launcher} is not checked"
    yield note(codes.UNKNOWN_WRAPPER, message, where)
