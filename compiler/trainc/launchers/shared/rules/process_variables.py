"""Variables of the pod that the launcher sets for each process, or that describe another world than the job's."""

from __future__ import annotations

import re

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, remove, warning
from trainc.checks.shared.program_command import program_launcher
from trainc.checks.shared.user_fields import workers
from trainc.commandline.word import parse_count
from trainc.launchers.jax.traits import ADDRESS, PROCESSES
from trainc.launchers.registry import launcher_traits
from trainc.launchers.traits import Traits

TRIGGERS = ("sets_process_variable()",)


def check(context: RuleContext) -> Diagnostics:
    yield from _unused_variables(context)
    yield from _jax_world(context)


def _unused_variables(context: RuleContext) -> Diagnostics:
    """Report variables that neither the command nor another variable refers to, and that trainc does not set itself."""
    traits = _launcher(context)
    if traits is None or (context.file_kind and not context.in_own_system):  # the translation sets some
        return
    main = context.pod.main
    texts = [*main.words("command"), *main.words("args"), *(each.value or "" for each in main.user_variables)]
    generated = {each.name for each in context.job.pod.env if each.origin is None} if context.is_own else ()
    for variable in main.user_variables:
        name = variable.name
        is_read = any(re.search(rf"\$[({{]?{re.escape(name)}\b", text) for text in texts)
        if name in traits.process_variables and not is_read and name not in generated:
            message = f"`{name}` has no effect: {traits.name} sets it for each process"
            remedy = remove(variable.span, safe=True)
            yield warning(codes.UNUSED_PROCESS_VARIABLE, message, variable.span, help="remove it", remedy=remedy)


def _launcher(context: RuleContext) -> Traits | None:
    """Return the launcher that starts the processes; None for a program that may start any."""
    if context.spec.launch.wraps_program:
        return context.spec.launch.traits
    call = program_launcher(context)
    return launcher_traits("torchrun" if call.grammar.variables else call.launcher) if call is not None else None


def _jax_world(context: RuleContext) -> Diagnostics:
    """Check the variables of jax.distributed; launch.jax sets its own, which the rule `env` compares."""
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
