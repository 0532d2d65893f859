"""Nodes and devices of Lightning's trainer, as NeMo passes them, whose product is not the world.

TorchElasticEnvironment.validate_settings of Lightning 2.6.6 raises a ValueError in every process that torchrun starts:
https://github.com/Lightning-AI/pytorch-lightning/blob/2.6.6/src/lightning/fabric/plugins/environments/torchelastic.py
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error
from trainc.checks.shared.pod_processes import processes_per_pod
from trainc.checks.shared.program_arguments import program_arguments
from trainc.checks.shared.program_command import program_launcher
from trainc.checks.shared.user_fields import workers
from trainc.commandline.word import parse_count

TRIGGERS = ("sets_trainer_size()",)

NODES, DEVICES = "num_nodes", "devices"
_SECTION = "trainer."


def check(context: RuleContext) -> Diagnostics:
    """Check `trainer.num_nodes=2 trainer.devices=8` under torchrun; a size that the command lacks is unknown."""
    call, launch = program_launcher(context), context.spec.launch
    by_torchrun = bool(call.grammar.variables) if call is not None else bool(launch.traits.variable_prefix)
    processes = processes_per_pod(context, call)
    if not by_torchrun or context.job.replicas.elastic or not processes:
        return
    found = {each.name: each for each in program_arguments(context) if f"{_SECTION}{each.name}" in each.text}
    nodes, devices = found.get(NODES), found.get(DEVICES)
    if nodes is None or devices is None:
        return
    counts = parse_count(nodes.value.text), parse_count(devices.value.text)
    size = context.job.replicas.maximum
    if not all(counts) or (counts[0] or 0) * (counts[1] or 0) == size * processes:
        return
    message = f"Lightning exits: {counts[0]} nodes × {counts[1]} devices is not the world of {size * processes}"
    where = nodes.where.span or context.spec.run.where(context.spec.run.kind)
    help_ = Message("pass trainer.num_nodes={} trainer.devices={}", size, processes)
    yield error(codes.TRAINER_SIZE, message, where, help=help_, related=workers(context))
