"""Framework that starts no launcher, because nothing sets the variables that it reads the world from."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.checks.shared.program_command import known_variables, program_command
from trainc.checks.shared.user_fields import workers
from trainc.launchers.frameworks import started_frameworks

TRIGGERS = ("starts_launcher()",)


def check(context: RuleContext) -> Diagnostics:
    """Report the first one that trains alone; launch.basic sets the variables."""
    program, size = program_command(context), context.job.most_workers
    names = {variable.name for variable in context.job.pod.env}
    if program.wrapped or size == 1 or context.in_own_system or context.spec.env_from:
        return
    for start in started_frameworks(program.argv, known_variables(context)):
        variables = [*start.framework.variables]
        line = start.framework.launcher_line(start.words, start.env)
        if line == [] and variables and names.isdisjoint(variables):
            where = start.command.span or context.spec.run.where(context.spec.run.kind)
            message = (
                f"`{start.name}` starts no launcher without {variables[0]}: each of the {size} workers trains alone"
            )
            help_ = f"use `launch: {{basic: {{}}}}`, which sets {', '.join(variables)}"
            yield warning(codes.NODE_COUNT_MISMATCH, message, where, help=help_, related=workers(context))
            return
