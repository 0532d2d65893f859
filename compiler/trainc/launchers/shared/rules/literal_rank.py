"""Rank that is the same literal number on all workers or in all processes of a pod, and a world size of another job."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Help, RuleContext, codes, warning
from trainc.checks.shared.helps import index_help
from trainc.checks.shared.pod_processes import processes_per_pod
from trainc.checks.shared.program_arguments import Argument, program_arguments
from trainc.checks.shared.program_command import program_launcher
from trainc.checks.shared.user_fields import gpu_count, workers
from trainc.commandline.word import parse_count
from trainc.launchers.find_launchers import Call
from trainc.launchers.jax.traits import PROCESS_ID

TRIGGERS = ("passes_rank()", "sets_process_variable()")

# `--rank` of other programs is that of a LoRA adapter, which is not 0.
RANK_VARIABLES = ("RANK", PROCESS_ID)
NODE_RANKS = ("node_rank", "machine_rank", "global_rank")


def check(context: RuleContext) -> Diagnostics:
    yield from _ranks(context)
    yield from _world_size(context)


def _ranks(context: RuleContext) -> Diagnostics:
    """Check arguments of the program and of launchers; checks/program/own_launcher.py checks torchrun's own.

    In another system's file also the variable, which the system or a launcher may replace.
    """
    count, call = context.job.replicas.maximum, program_launcher(context)
    yield from _local_rank(context, call)
    own = {*call.parsed.options} if call is not None and call.grammar.variables else set()
    if call is not None and (backend := call.value("rdzv_backend")) is not None and backend.text != "static":
        own |= {*NODE_RANKS}  # the rendezvous assigns them
    for argument in program_arguments(context) if count > 1 else ():
        number = argument.value.text
        is_rank = argument.name in NODE_RANKS or (argument.name == "rank" and number == "0")
        if is_rank and number.isdecimal() and argument.name not in own:
            message = f"all {count} workers have `{argument.text}`"
            where = argument.where.span or context.program
            help_ = _help(context, argument) if call is None else index_help(context)
            yield warning(codes.LITERAL_RANK, message, where, help=help_, related=workers(context))
    is_kept = context.in_own_system and not context.job.has_leader_role and call is None
    for variable in context.pod.main.user_variables if count > 1 and is_kept else ():
        is_rank = variable.name in RANK_VARIABLES and (variable.value or "").isdecimal()
        if is_rank and not context.spec.launch.wraps_program:
            message, help_ = f"all {count} workers have {variable.name} {variable.value}", index_help(context)
            yield warning(codes.LITERAL_RANK, message, variable.span, help=help_, related=workers(context))


def _local_rank(context: RuleContext, call: Call | None) -> Diagnostics:
    """Report a local rank after the one that a launcher may pass: argparse takes the last."""
    processes, launch = processes_per_pod(context, call), context.spec.launch
    for argument in program_arguments(context) if (processes or 0) > 1 else ():
        if argument.name == "local_rank" and argument.value.text.isdecimal():
            message = f"all {processes} processes of a pod have `{argument.text}`"
            where = argument.where.span or context.program
            name = call.launcher if call is not None else launch.traits.name
            help_ = f"remove it, and read LOCAL_RANK in the program, which {name} sets for each process"
            yield warning(codes.LITERAL_RANK, message, where, help=help_)


def _help(context: RuleContext, argument: Argument) -> str | None:
    traits = context.spec.launch.traits
    if context.spec.launch.wraps_program and "RANK" in traits.process_variables:
        return f"remove it, and read RANK in the program, which {traits.name} sets for each process"
    if traits.names_arguments and not context.file_kind:
        flag = argument.text.replace("=", " ").split()[0]
        return f"remove it, and set `launch.{traits.name}.arguments: {{rank: {flag}}}`"
    return index_help(context)


def _world_size(context: RuleContext) -> Diagnostics:
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
        help_: Help = _world_size_help(context, argument, count, world)
        if replicas.elastic:
            message = f"`{argument.text}`, but the job has {replicas.minimum} to {replicas.maximum} workers"
            help_ = _elastic_help(context)
        where = argument.where.span or context.program
        yield warning(codes.WORLD_SIZE_MISMATCH, message, where, help=help_, related=workers(context))


def _elastic_help(context: RuleContext) -> str:
    traits = context.spec.launch.traits
    setter = f", which {traits.name} sets for each process" if "WORLD_SIZE" in traits.process_variables else ""
    return f"remove it, and read WORLD_SIZE in the program{setter}"


def _world_size_help(context: RuleContext, argument: Argument, count: int, world: int) -> Help:
    launch = context.spec.launch
    if count == context.job.replicas.maximum * gpu_count(context):
        return context.cure("start a process per GPU: use launch.torchrun", "start a process per GPU, by torchrun")
    if launch.traits.names_arguments and not context.file_kind:
        flag = argument.text.replace("=", " ").split()[0]
        return f"remove it, and set `launch.{launch.traits.name}.arguments: {{worldSize: {flag}}}`"
    return f"set it to {world}"
