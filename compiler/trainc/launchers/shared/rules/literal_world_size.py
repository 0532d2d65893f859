"""World size in the program's arguments that is not the job's."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Help, RuleContext, codes, warning
from trainc.checks.shared.pod_processes import processes_per_pod
from trainc.checks.shared.program_arguments import Argument, program_arguments
from trainc.checks.shared.program_command import program_launcher
from trainc.checks.shared.user_fields import gpu_count, workers
from trainc.commandline.word import parse_count

TRIGGERS = ("passes_rank()",)


def check(context: RuleContext) -> Diagnostics:
    """Compare with the number of processes, and of nodes: programs that start their processes count these.

    https://github.com/pytorch/examples/blob/main/imagenet/main.py, --world-size
    """
    replicas, processes = context.job.replicas, processes_per_pod(context, program_launcher(context))
    if processes is None and not replicas.elastic:
        return
    size = replicas.maximum
    world = size * (processes or 1)
    for argument in program_arguments(context):
        count = parse_count(argument.value.text)
        if argument.name != "world_size" or count is None or (count in (size, world) and not replicas.elastic):
            continue
        message = f"`{argument.text}`, but the job has {world} process{'es' * (world > 1)}"
        help_: Help = _help(context, argument, count, world)
        if replicas.elastic:
            message = f"`{argument.text}`, but the job has {replicas.minimum} to {replicas.maximum} workers"
            help_ = _elastic_help(context)
        where = argument.where.span or context.spec.run.where(context.spec.run.kind)
        yield warning(codes.WORLD_SIZE_MISMATCH, message, where, help=help_, related=workers(context))


def _elastic_help(context: RuleContext) -> str:
    traits = context.spec.launch.traits
    setter = f", which {traits.name} sets for each process" if "WORLD_SIZE" in traits.process_variables else ""
    return f"remove it, and read WORLD_SIZE in the program{setter}"


def _help(context: RuleContext, argument: Argument, count: int, world: int) -> Help:
    launch = context.spec.launch
    if count == context.job.replicas.maximum * gpu_count(context):
        return context.cure("start a process per GPU: use launch.torchrun", "start a process per GPU, by torchrun")
    if launch.traits.names_arguments and not context.file_kind:
        flag = argument.text.replace("=", " ").split()[0]
        return f"remove it, and set `launch.{launch.traits.name}.arguments: {{worldSize: {flag}}}`"
    return f"set it to {world}"
