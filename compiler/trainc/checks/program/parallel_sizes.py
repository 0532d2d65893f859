"""Sizes in the program's arguments that the world does not fit: of Megatron, torchtitan, Lightning and axolotl.

initialize_model_parallel of megatron/core/parallel_state.py in Megatron-Core 0.16.1 raises a RuntimeError, and
ParallelDims of torchtitan/distributed/parallel_dims.py in torchtitan 0.3.0 an AssertionError
(tests/unit/checks/program/test_parallel_sizes.py has their verdicts). _get_parallel_config_kwargs of
axolotl/utils/distributed.py in axolotl 0.19.0 divides the world by each size in turn. With a rest the product of
accelerate's ParallelismConfig is not the world, and it raises a ValueError.
"""

from __future__ import annotations

import posixpath
from math import lcm

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error
from trainc.checks.shared.pod_processes import processes_per_pod, product
from trainc.checks.shared.program_arguments import Argument, program_arguments
from trainc.checks.shared.program_command import known_variables, program_command, program_launcher, shipped_text
from trainc.checks.shared.user_fields import workers
from trainc.commandline.word import Word, parse_count
from trainc.launchers.frameworks import started_frameworks
from trainc.source.load import load_mapping
from trainc.source.node import scalar_text

TRIGGERS = ("sets_parallel_size()", "sets_trainer_size()", "starts_axolotl()", "runs_shell_script()")

TENSOR, PIPELINE, CONTEXT = "tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size"
EXPERT, EXPERT_TENSOR = "expert_model_parallel_size", "expert_tensor_parallel_size"
NAMES = (TENSOR, PIPELINE, CONTEXT, EXPERT, EXPERT_TENSOR)
# torchtitan's options --parallelism.NAME; the shards are the rest of the world by default.
DEGREES = (
    *("data_parallel_replicate_degree", "data_parallel_shard_degree", "context_parallel_degree"),
    *("tensor_parallel_degree", "pipeline_parallel_degree"),
)
_SECTION, _REST = "parallelism.", "-1"
# Lightning's trainer, as NeMo passes it.
NODES, DEVICES = "num_nodes", "devices"
_TRAINER = "trainer."
_OF_AXOLOTL = {
    "tensor_parallel_size": "tensor",
    "context_parallel_size": "context",
    "expert_parallel_size": "expert",
    "dp_shard_size": "shards",
    "dp_replicate_size": "replicas",
}
_MODULE = "axolotl.cli.train"


def check(context: RuleContext) -> Diagnostics:
    yield from _parallel_sizes(context)
    yield from _trainer_size(context)
    yield from _axolotl_sizes(context)


def _parallel_sizes(context: RuleContext) -> Diagnostics:
    """Check the processes that hold one model, and those that hold its experts.

    A size that only the running shell knows is a whole number: the other sizes have to divide the world, too.
    """
    replicas, processes = context.job.replicas, processes_per_pod(context, program_launcher(context))
    if replicas.elastic or processes is None:
        return
    arguments = list(program_arguments(context))
    degrees = {each.name: each for each in arguments if each.name in DEGREES and _SECTION in each.text}
    if degrees:
        yield from _check_product(context, [degrees.get(name) for name in DEGREES], processes, "torchtitan")
    sizes = {each.name: each for each in arguments if each.name in NAMES}
    if sizes.keys().isdisjoint((TENSOR, PIPELINE)):
        return
    model = [sizes.get(TENSOR), sizes.get(PIPELINE), sizes.get(CONTEXT)]
    experts = [sizes.get(EXPERT_TENSOR, sizes.get(TENSOR)), sizes.get(EXPERT), sizes.get(PIPELINE)]
    has_experts = not sizes.keys().isdisjoint((EXPERT, EXPERT_TENSOR))
    faults = list(_check_product(context, model, processes))
    yield from faults or (_check_product(context, experts, processes) if has_experts else ())


def _check_product(
    context: RuleContext, arguments: list[Argument | None], processes: int, program: str = "Megatron"
) -> Diagnostics:
    stated = [each for each in arguments if each is not None and each.value.text != _REST]
    sizes = [(each, parse_count(each.value.text) or 1) for each in stated]
    world = context.job.replicas.maximum * processes
    group, factors = product((_label(each.name), size) for each, size in sizes)
    if world % group == 0:
        return
    message = f"{program} exits: the world of {world} is not divisible by {group} ({factors})"
    where = sizes[0][0].where.span or context.program
    fewest = Message("set {workers} to {}", lcm(group, processes) // processes)
    help_ = (f"choose sizes whose product divides {world}", fewest)
    yield error(codes.PARALLEL_SIZES, message, where, help=help_, related=workers(context))


def _label(name: str) -> str:
    name = name.removesuffix("_parallel_size").removesuffix("_degree").removesuffix("_parallel")
    return name.removesuffix("_model").replace("_parallel_", "_").replace("_", " ")


def _trainer_size(context: RuleContext) -> Diagnostics:
    """Check `trainer.num_nodes=2 trainer.devices=8` under torchrun; a size that the command lacks is unknown.

    TorchElasticEnvironment.validate_settings of Lightning 2.6.6 raises a ValueError in every process that torchrun
    starts: https://github.com/Lightning-AI/pytorch-lightning/blob/2.6.6/src/lightning/fabric/plugins/environments/torchelastic.py
    """
    call, launch = program_launcher(context), context.spec.launch
    by_torchrun = bool(call.grammar.variables) if call is not None else bool(launch.traits.variable_prefix)
    processes = processes_per_pod(context, call)
    if not by_torchrun or context.job.replicas.elastic or not processes:
        return
    sizes = {each.name: each for each in program_arguments(context) if f"{_TRAINER}{each.name}" in each.text}
    nodes, devices = sizes.get(NODES), sizes.get(DEVICES)
    if nodes is None or devices is None:
        return
    counts = parse_count(nodes.value.text), parse_count(devices.value.text)
    size = context.job.replicas.maximum
    if not all(counts) or (counts[0] or 0) * (counts[1] or 0) == size * processes:
        return
    message = f"Lightning exits: {counts[0]} nodes × {counts[1]} devices is not the world of {size * processes}"
    where = nodes.where.span or context.program
    help_ = Message("pass trainer.num_nodes={} trainer.devices={}", size, processes)
    yield error(codes.TRAINER_SIZE, message, where, help=help_, related=workers(context))


def _axolotl_sizes(context: RuleContext) -> Diagnostics:
    """Check `axolotl train FILE`, and the module that a launcher starts."""
    replicas, processes = context.job.replicas, processes_per_pod(context, program_launcher(context))
    path = _config_path(context)
    if path is None or replicas.elastic or processes is None:
        return
    place = posixpath.normpath(posixpath.join(context.spec.working_dir or "", path.text))
    text = shipped_text(context, place) if place.startswith("/") else None
    config = load_mapping(place.rpartition("/")[2], text) if text is not None else None
    if config is None:
        return
    texts = {label: scalar_text(config.get(name)) for name, label in _OF_AXOLOTL.items() if config.get(name)}
    sizes = [(label, size) for label, text in texts.items() if (size := parse_count(text)) is not None and size > 1]
    group, factors = product(sizes)
    world = replicas.maximum * processes
    if world % group:
        message = f"axolotl exits: the world of {world} is not divisible by {group} ({factors} in `{path.text}`)"
        where = path.span or context.program
        help_ = f"choose sizes whose product divides {world}"
        yield error(codes.PARALLEL_SIZES, message, where, help=help_, related=workers(context))


def _config_path(context: RuleContext) -> Word | None:
    argv = program_command(context).argv
    for start in started_frameworks(argv, known_variables(context)):
        if start.name == "axolotl train" and start.words:
            return _known_path(start.words[0])
    at = next((index for index, word in enumerate(argv) if word.text == _MODULE), len(argv))
    return _known_path(argv[at + 1]) if at + 1 < len(argv) else None


def _known_path(word: Word) -> Word | None:
    return word if word.known and not word.text.startswith("-") else None
