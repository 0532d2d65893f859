"""Sizes of accelerate's parallelism whose product is not the number of all processes.

ParallelismConfig._validate_accelerator, which raises a ValueError in every process:
https://github.com/huggingface/accelerate/blob/v1.15.0/src/accelerate/parallelism_config.py
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error
from trainc.checks.shared.pod_processes import processes_per_pod, product
from trainc.checks.shared.program_command import call_span, program_launcher
from trainc.checks.shared.user_fields import workers
from trainc.commandline.word import parse_count
from trainc.launchers.accelerate.in_program import count_of, shipped_config
from trainc.launchers.accelerate.options import NAME
from trainc.launchers.accelerate.spec import Accelerate
from trainc.launchers.find_launchers import Call
from trainc.source.node import Mapping, scalar_text
from trainc.span import Span

TRIGGERS = ("launch.accelerate.parallelism", "launch.accelerate.configFile", "starts_launcher()")

_SHARD, _CONTEXT, _SEQUENCE = "dp_shard", "cp", "sp"
NAMES = ("dp_replicate", _SHARD, "tp", _CONTEXT, _SEQUENCE)
Sizes = dict[str, tuple[int, Span]]


def check(context: RuleContext) -> Diagnostics:
    """Check launch.accelerate, or an accelerate in the program.

    The sizes are multiplied unless DeepSpeed's sequence parallelism, the only kind of it, forms its own groups.
    """
    launch = context.spec.launch
    call = None if isinstance(launch, Accelerate) else program_launcher(context)
    if isinstance(launch, Accelerate):
        sizes, config = _of_section(launch), launch.config_content
        if config is None:
            config = shipped_config(context, launch.config_path)
        place = None if launch.config_content is not None else launch.where("configFile")
        has_fsdp = launch.fsdp is not None
    elif call is not None and call.launcher == NAME and call.parsed.complete:
        sizes, option = _of_options(context, call), call.option("config_file")
        config = shipped_config(context, option.text) if option is not None else None
        place, has_fsdp = call_span(context, call, option), call.option("use_fsdp") is not None
        if not sizes and call.option("use_parallelism_config") is None and config is None:
            return
    else:
        return
    if config is not None:
        sizes = {**_of_file(config, place), **sizes}
        has_fsdp = has_fsdp or scalar_text(config.get("distributed_type")) == "FSDP"
    world = _world(context, call, config)
    if sizes.get(_SEQUENCE, (1,))[0] > 1:
        yield from _check_sequence(context, *sizes[_SEQUENCE], world)
    elif sizes:
        yield from _check(context, sizes, world, has_fsdp)


def _check_sequence(context: RuleContext, size: int, where: Span, world: int | None) -> Diagnostics:
    """Check DeepSpeed's groups: initialize_sequence_parallel, which raises a RuntimeError.

    https://github.com/deepspeedai/DeepSpeed/blob/358f0a7e3ac21f0968a98796acd11fe90c7ee63d/deepspeed/runtime/
    sequence_parallel/parallel_state_sp.py
    """
    if world is not None and not context.job.replicas.elastic and world % size:
        message = f"DeepSpeed exits: the world of {world} is not divisible by the sequence size {size}"
        help_ = f"choose a size that divides {world}"
        yield error(codes.PARALLEL_SIZES, message, where, help=help_, related=workers(context))


def _world(context: RuleContext, call: Call | None, config: Mapping | None) -> int | None:
    """Return the number of all processes; None if it is unknown."""
    option = call.option("num_processes") if call is not None else None
    if option is not None:
        return parse_count(option.text)
    stated = count_of(config, "num_processes") if call is not None and config is not None else None
    processes = processes_per_pod(context, call)
    return stated or (processes and processes * context.job.replicas.maximum)


def _check(context: RuleContext, sizes: Sizes, world: int | None, has_fsdp: bool) -> Diagnostics:
    replicas = context.job.replicas
    known = [(name, *sizes[name]) for name in NAMES if name in sizes]
    total, factors = product((name, size) for name, size, _ in known)
    where = known[0][2]
    if total == 1:
        return
    if replicas.elastic:
        message = f"an elastic job has no fixed number of processes, but the sizes make {total} ({factors})"
        yield error(codes.PARALLEL_SIZES, message, where, help=Message("remove {elastic}"))
    elif world is not None and total != world:
        message = f"accelerate exits: the sizes make {total} ({factors}), but the job has {world} processes"
        help_ = f"choose sizes whose product is {world}"
        processes = world // replicas.maximum
        more = (Message("set {workers} to {}", total // processes),) if processes and total % processes == 0 else ()
        yield error(codes.PARALLEL_SIZES, message, where, help=(help_, *more), related=workers(context))
    elif has_fsdp and all(sizes.get(name, (1,))[0] == 1 for name in (_SHARD, _CONTEXT)):
        message = f"accelerate exits: FSDP has nothing to shard over, with {factors} and dp_shard and cp of 1"
        yield error(codes.PARALLEL_SIZES, message, where, help="choose a dp_shard size of 2 or more")


def _of_section(launch: Accelerate) -> Sizes:
    section = launch.parallelism
    if section is None:
        return {}
    keys = {"dp_replicate": "dpReplicateSize", _SHARD: "dpShardSize", "tp": "tpSize", _CONTEXT: "cpSize"}
    values = (section.dp_replicate_size, section.dp_shard_size, section.tp_size, section.cp_size)
    items = zip(keys.items(), values, strict=True)
    return {name: (value, section.where(key)) for (name, key), value in items if section.has(key)}


def _of_options(context: RuleContext, call: Call) -> Sizes:
    options = {name: call.option(f"parallelism_config_{name}_size") for name in NAMES}
    counts = {name: parse_count(option.text) for name, option in options.items() if option is not None}
    return {name: (count, call_span(context, call, options[name])) for name, count in counts.items() if count}


def _of_file(config: Mapping, place: Span | None) -> Sizes:
    """Return the sizes of a file, at their own positions unless the text is elsewhere."""
    section = config.get("parallelism_config")
    if not isinstance(section, Mapping):
        return {}
    keys = {name: f"parallelism_config_{name}_size" for name in NAMES}
    counts = {name: parse_count(scalar_text(section.get(key))) for name, key in keys.items() if section.get(key)}
    return {name: (count, place or section.where(keys[name])) for name, count in counts.items() if count}
