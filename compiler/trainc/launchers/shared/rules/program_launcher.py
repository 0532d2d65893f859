"""Launcher that the program starts once per process of the job's own, or not at all, and commands that are not read."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Help, Message, RuleContext, codes, error, note, warning
from trainc.checks.shared.program_command import call_span, known_variables, program_command
from trainc.checks.shared.user_fields import workers
from trainc.commandline.wrappers import is_wrapper
from trainc.launchers.find_launchers import calls
from trainc.launchers.frameworks import FRAMEWORKS, started_commands, started_frameworks
from trainc.launchers.unread_commands import SUBMITTERS, hidden_launcher

TRIGGERS = ("starts_launcher()",)

# These can be configured to start one process and pass the outer launcher's variables on.
MAY_WORK = frozenset(("accelerate", "mpirun"))
# Launchers that torchrun does not replace, because of their own options or because they start programs of MPI.
OWN_LAUNCH = {"accelerate": Message("use {launch.accelerate}"), "mpirun": Message("use {launch.mpirun}")}
SLURM = ("srun", "sbatch", "salloc")


def check(context: RuleContext) -> Diagnostics:
    yield from _nested_launcher(context)
    yield from _framework_alone(context)
    yield from _hidden_launcher(context)
    yield from _submitter(context)


def _nested_launcher(context: RuleContext) -> Diagnostics:
    """Report the first nested launcher only: the fix covers all."""
    program, traits = program_command(context), context.spec.launch.traits
    for call in calls(program.argv, known_variables(context))[:1] if program.wrapped else []:
        other = (context.launch_key, "already starts the program")
        name = call.title
        message = f"{traits.name} starts `{name}` once per process, and each starts processes again"
        removal = f"remove {name} and its options, and name the program that it starts"
        if call.framework:
            removal = FRAMEWORKS[call.framework].within_launcher or removal
        sets_world = bool(call.framework and FRAMEWORKS[call.framework].variables)
        if sets_world:
            removal = "use `launch: {basic: {}}`, which starts it once in each pod"
        help_: Help = removal
        if traits.variable_prefix and call.grammar.variables and not sets_world:
            starts = Message("set `{launch.torchrun/wrap: false}` if the program starts {} itself", traits.name)
            help_ = (removal, starts)
        if call.launcher in OWN_LAUNCH and traits.name != call.launcher:
            help_ = (OWN_LAUNCH[call.launcher], removal)
        elif call.launcher == "accelerate":
            help_ = Message("move its options to {launch.accelerate}, and name the program that it starts")
        severity = warning if call.launcher in MAY_WORK and call.launcher != traits.name else error
        yield severity(codes.NESTED_LAUNCHER, message, call_span(context, call), help=help_, related=[other])


def _framework_alone(context: RuleContext) -> Diagnostics:
    """Report the first framework that trains alone, without the variables of the world, which launch.basic sets."""
    program, size = program_command(context), context.job.most_workers
    names = {variable.name for variable in context.job.pod.env}
    if program.wrapped or size == 1 or context.in_own_system or context.spec.env_from:
        return
    for start in started_frameworks(program.argv, known_variables(context)):
        variables = [*start.framework.variables]
        line = start.framework.launcher_line(start.words, start.env)
        if line == [] and variables and names.isdisjoint(variables):
            where = start.command.span or context.program
            message = (
                f"`{start.name}` starts no launcher without {variables[0]}: each of the {size} workers trains alone"
            )
            help_ = f"use `launch: {{basic: {{}}}}`, which sets {', '.join(variables)}"
            yield warning(codes.NODE_COUNT_MISMATCH, message, where, help=help_, related=workers(context))
            return


def _hidden_launcher(context: RuleContext) -> Diagnostics:
    """Report the first command whose options trainc does not know, with a launcher behind it; srun has no allocation.

    https://slurm.schedmd.com/srun.html
    """
    hidden = hidden_launcher(program_command(context).argv, known_variables(context))
    if hidden is None:
        return
    where, launcher = hidden.command.span or context.program, hidden.call.launcher
    if hidden.name in SLURM:
        message = f"`{hidden.name}` starts tasks in a Slurm allocation, which a pod is not in"
        help_ = f"remove it and its options: the job starts {launcher} in every pod"
        yield warning(codes.SLURM_COMMAND, message, where, help=help_)
    elif is_wrapper(hidden.name):
        message = f"`{hidden.name}` has options that trainc does not know: {launcher} is not checked"
        yield note(codes.UNKNOWN_WRAPPER, message, where)
    else:
        message = f"`{hidden.name}` is no wrapper that trainc knows: {launcher} behind it is not checked"
        yield note(codes.UNKNOWN_WRAPPER, message, where)


def _submitter(context: RuleContext) -> Diagnostics:
    """Report the first one, unless the job's launcher starts it: under torchrun nemo trains itself."""
    program = program_command(context)
    start = next(started_commands(program.argv, SUBMITTERS, known_variables(context)), None)
    if start is None or (program.wrapped and not SUBMITTERS[start.name].submits_always):
        return
    submitter = SUBMITTERS[start.name]
    where = start.command.span or context.program
    severity = warning if submitter.submits_always else note
    message = f"`{start.name}` {submitter.effect}: what it starts is not checked"
    yield severity(codes.SUBMITTER, message, where, help=submitter.advice)
