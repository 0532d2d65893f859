"""Program that starts tasks by Slurm, which pods don't run in.

srun needs an allocation or a controller: https://slurm.schedmd.com/srun.html
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.checks.shared.program_command import known_variables, program_command
from trainc.launchers.shared.rules.unknown_wrapper import SLURM
from trainc.launchers.unknown_wrapper import hidden_launcher

TRIGGERS = ("starts_launcher()",)


def check(context: RuleContext) -> Diagnostics:
    """Report a launcher behind srun."""
    hidden = hidden_launcher(program_command(context).argv, known_variables(context))
    if hidden is None or hidden.name not in SLURM:
        return
    where = hidden.command.span or context.spec.run.where(context.spec.run.kind)
    message = f"`{hidden.name}` starts tasks in a Slurm allocation, which a pod is not in"
    help_ = f"remove it and its options: the job starts {hidden.call.launcher} in every pod"
    yield warning(codes.SLURM_COMMAND, message, where, help=help_)
