"""Variables of jax.distributed that describe another world than that of the job's workers."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error
from trainc.checks.shared.user_fields import workers
from trainc.commandline.word import parse_count
from trainc.launchers.jax.variables import ADDRESS, PROCESSES

TRIGGERS = ("sets_process_variable()",)


def check(context: RuleContext) -> Diagnostics:
    """Check the user's variables; launch.jax sets its own, which the rule `env` compares."""
    variables = {variable.name: variable for variable in context.pod.main.user_variables}
    count, own = context.job.replicas.maximum, {each.name for each in context.job.pod.env if each.origin is None}
    processes, address = variables.get(PROCESSES), variables.get(ADDRESS)
    world = parse_count(processes.value or "") if processes is not None and PROCESSES not in own else None
    if (
        processes is not None
        and world is not None
        and not context.job.replicas.elastic
        and (not world or world % count)
    ):
        message = f"`{PROCESSES}` is {world}, but the job has {count} worker{'s' * (count > 1)}"
        message += ": the processes wait for others until they abort" if world > count else ""
        help_ = context.cure("remove it, and use launch.jax", f"set it to {count}")
        yield error(codes.JAX_WORLD, message, processes.span, help=help_, related=workers(context))
    if address is not None and address.value and ADDRESS not in own and ":" not in address.value:
        message = f"`{ADDRESS}` is `{address.value}`, without a port: jax.distributed.initialize fails"
        yield error(codes.JAX_WORLD, message, address.span, help=f"set it to {address.value}:29500")
