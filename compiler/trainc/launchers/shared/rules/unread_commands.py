"""Commands of the program that start something trainc does not read: unknown wrappers, Slurm, and submitted jobs."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, note, warning
from trainc.checks.shared.program_command import known_variables, program_command
from trainc.commandline.wrappers import is_wrapper
from trainc.launchers.frameworks import started_commands
from trainc.launchers.unread_commands import SUBMITTERS, hidden_launcher

TRIGGERS = ("starts_launcher()",)

SLURM = ("srun", "sbatch", "salloc")


def check(context: RuleContext) -> Diagnostics:
    yield from _unknown_wrapper(context)
    yield from _slurm_command(context)
    yield from _submitter(context)


def _unknown_wrapper(context: RuleContext) -> Diagnostics:
    """Report the first command whose options trainc does not know, with a launcher behind it."""
    hidden = hidden_launcher(program_command(context).argv, known_variables(context))
    if hidden is None or hidden.name in SLURM:
        return
    where = hidden.command.span or context.spec.run.where(context.spec.run.kind)
    message = f"`{hidden.name}` is no wrapper that trainc knows: {hidden.call.launcher} behind it is not checked"
    if is_wrapper(hidden.name):
        message = f"`{hidden.name}` has options that trainc does not know: {hidden.call.launcher} is not checked"
    yield note(codes.UNKNOWN_WRAPPER, message, where)


def _slurm_command(context: RuleContext) -> Diagnostics:
    """Report a launcher behind srun, which needs an allocation or a controller: https://slurm.schedmd.com/srun.html"""
    hidden = hidden_launcher(program_command(context).argv, known_variables(context))
    if hidden is None or hidden.name not in SLURM:
        return
    where = hidden.command.span or context.spec.run.where(context.spec.run.kind)
    message = f"`{hidden.name}` starts tasks in a Slurm allocation, which a pod is not in"
    help_ = f"remove it and its options: the job starts {hidden.call.launcher} in every pod"
    yield warning(codes.SLURM_COMMAND, message, where, help=help_)


def _submitter(context: RuleContext) -> Diagnostics:
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
