"""Environment of the training container under the policies of PyTorch and JAX of a runtime.

https://github.com/kubeflow/trainer/blob/v2.3.0/pkg/runtime/framework/plugins/torch/torch.go, and jax/jax.go there
"""

from __future__ import annotations

from math import ceil
from typing import Any

from trainc.commandline.word import parse_count
from trainc.quantity import NANO, is_quantity, nanos
from trainc.source.node import scalar_text
from trainc.span import Text
from trainc.systems.shared.reader.command import TranslatedCommand
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.injected_env import InjectedEnv
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.shared.reader.tree import child
from trainc.systems.trainjob import facts
from trainc.systems.trainjob.facts import JAX_VARIABLES
from trainc.systems.trainjob.fields import PROCESSES
from trainc.systems.trainjob.reader.faults import Parts, report_master, report_missing_trainer


def processes_per_node(trainer: ForeignMapping | None, main: TranslatedPod) -> int | str:
    """Return the processes per worker: `auto` with a GPU, else the requested CPUs: torch.go.

    Trainer 2.1 has the names of devices, too, and counts CPUs for `cpu`.
    """
    own: int | str | None = None
    if trainer is not None:
        is_name = scalar_text(trainer.node.get(PROCESSES)) in facts.DEVICES
        own = trainer.string(PROCESSES) if is_name else trainer.integer(PROCESSES)
    names = (str(name).lower() for name in main.requested_resources())
    if own in (None, "auto") and any("gpu" in name for name in names):
        return "auto"
    if own not in (None, "auto", "cpu"):
        return own
    resources = main.container.node.get("resources")
    for kind in ("requests", "limits"):
        amount = scalar_text(child(resources, kind, "cpu"))
        if (count := whole_units(amount)) is not None:
            return count
    return 1


def whole_units(amount: str) -> int | None:
    """Return a quantity, rounded up to a whole number; None for none."""
    return max(ceil(nanos(amount) / NANO), 1) if is_quantity(amount) and nanos(amount) else None


def torch_environment(
    name: str,
    nodes: int,
    main: TranslatedPod,
    processes: int | str,
    has_torch: bool,
    trainer: ForeignMapping | None,
) -> InjectedEnv:
    """Return the environment of the training container; only PyTorch's policy sets anything."""
    host, port = f"{name}-{facts.NODE}-0-0.{name}", str(facts.PORT)
    launcher: dict[str, Any] = {}
    variables = main.literal_env()
    if has_torch:
        is_set = trainer is not None and PROCESSES in trainer.node.entries
        count = Text("nprocPerNode", trainer.where(PROCESSES)) if trainer is not None and is_set else "nprocPerNode"
        launcher = {"rendezvous": {"backend": "static"} if nodes > 1 else {}, count: processes}
        variables |= {"PET_NNODES": str(nodes), "PET_NPROC_PER_NODE": str(processes)}
        variables |= {"PET_MASTER_ADDR": host, "PET_MASTER_PORT": port}
    return InjectedEnv(
        minimum=nodes,
        maximum=nodes,
        gpus=main.gpu_count(),
        launcher_fields=launcher,
        hosts=(host,) if has_torch else (),
        unannounced_hosts=() if has_torch else (host,),
        port=facts.PORT,
        variables=variables,
        host_network=bool(main.fields["network"]["hostNetwork"]),
        configures_torchrun=has_torch,
        rendezvous_help="use a runtime with `mlPolicy: {torch: {}}`, and set spec.trainer",
        span=next((word.span for word in (*main.command, *main.args)), main.span),
    )


def jax_command(parts: Parts, trainer: ForeignMapping | None, command: TranslatedCommand) -> TranslatedCommand:
    """Return the command with launch.jax, unless it starts a launcher of another framework, and report faults.

    The policy's port is the default of launch.jax.
    """
    if trainer is None and parts.nodes > 1 and JAX_VARIABLES[0] not in parts.main.literal_env():
        report_missing_trainer(parts)
    if parts.nodes > 1:
        report_master(parts)
    if trainer is not None and (parse_count(scalar_text(trainer.node.get(PROCESSES))) or 1) > 1:
        message = "`numProcPerNode` has no effect: JAX's policy counts one process per node"
        parts.spec.report.add_ignored(message, trainer.where(PROCESSES), "remove it")
    return command.replace(launch={"jax": {}}) if "basic" in command.launch else command
