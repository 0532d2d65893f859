"""Launch of a TrainJob whose runtime has JAX's policy.

https://github.com/kubeflow/trainer/blob/v2.3.0/pkg/runtime/framework/plugins/jax/jax.go
"""

from __future__ import annotations

from trainc.commandline.word import parse_count
from trainc.diagnostics import codes
from trainc.source.node import scalar_text
from trainc.systems.shared.reader.command import TranslatedCommand
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.trainjob.facts import JAX_VARIABLES
from trainc.systems.trainjob.fields import PROCESSES
from trainc.systems.trainjob.reader.faults import Parts, report_master


def jax_command(parts: Parts, trainer: ForeignMapping | None, command: TranslatedCommand) -> TranslatedCommand:
    """Return the command with launch.jax, unless it starts a launcher of another framework, and report faults.

    The policy's port is the default of launch.jax.
    """
    if trainer is None and parts.nodes > 1 and JAX_VARIABLES[0] not in parts.main.literal_env():
        message = "the runtime's policy sets no variables without `spec.trainer`: each node trains alone"
        parts.spec.report.add_correction(message, parts.where, "add `trainer: {}`", codes.POLICY_NEEDS_TRAINER)
    if parts.nodes > 1:
        report_master(parts)
    if trainer is not None and (parse_count(scalar_text(trainer.node.get(PROCESSES))) or 1) > 1:
        message = "`numProcPerNode` has no effect: JAX's policy counts one process per node"
        parts.spec.report.add_ignored(message, trainer.where(PROCESSES), "remove it")
    return command.replace(launch={"jax": {}}) if "basic" in command.launch else command
