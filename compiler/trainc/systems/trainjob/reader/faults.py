"""Faults of a TrainJob that no webhook rejects: they were shown on Kubeflow Trainer 2.3.0 with JobSet 0.12.0.

https://github.com/kubeflow/trainer/blob/v2.3.0/pkg/runtime/framework/plugins/torch/torch.go
"""

from __future__ import annotations

from typing import Any

from trainc.commandline.word import words
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import error, warning
from trainc.launchers.find_launchers import calls
from trainc.record import Record
from trainc.source.node import Mapping, Node, mappings, scalar_text
from trainc.span import Span
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.shared.reader.pod_trees import containers_of
from trainc.systems.shared.reader.tree import child
from trainc.systems.trainjob import facts
from trainc.systems.trainjob.fields import PROCESSES, RESOURCES, RUNTIME, TRAINER


class Parts(Record):
    """Parts of a TrainJob: its spec, the JobSet of its runtime, the replicated job that trains, and its pod."""

    spec: ForeignMapping
    job_set: ForeignMapping
    replicated: ForeignMapping
    main: TranslatedPod
    nodes: int

    @property
    def where(self) -> Span:
        """Position of the runtime's name."""
        section = self.spec.node.get(RUNTIME)
        return section.where("name") if isinstance(section, Mapping) else self.spec.node.span.first


def needs_trainer(parts: Parts) -> bool:
    """Report a torchrun of several nodes without the policy's variables, which only a TrainJob with `trainer` gets."""
    launchers = calls(words([*parts.main.command, *parts.main.args]))
    reads = len(launchers) == 1 and bool(launchers[0].grammar.variables) and launchers[0].option("nnodes") is None
    if TRAINER in parts.spec or parts.nodes == 1 or not reads or "PET_NNODES" in parts.main.literal_env():
        return False
    report_missing_trainer(parts)
    return True


def report_missing_trainer(parts: Parts) -> None:
    """Report nodes without the policy's variables."""
    message = "the runtime's policy sets no variables without `spec.trainer`: each node trains alone"
    parts.spec.report.add_correction(message, parts.where, "add `trainer: {}`", codes.POLICY_NEEDS_TRAINER)


def report_faults(parts: Parts, launch: dict[str, Any], processes: int | str) -> None:
    """Report what follows from the policy's variables for a program that reads them."""
    torchrun = launch.get("torchrun")
    if torchrun is None:
        return
    if torchrun.get("nprocPerNode") == processes:
        _report_cpus(parts, processes)
    if parts.nodes > 1 and torchrun.get("rendezvous", {}).get("backend") == "static":
        report_master(parts)


def report_master(parts: Parts) -> None:
    """Report pods that have not the fixed name of the first worker in the policy's variables."""
    name, network = scalar_text(parts.replicated.node.get("name")), parts.job_set.node.get("network")
    subdomain = scalar_text(child(network, "subdomain"))
    related, why, help_ = [], "", ""
    if name != facts.NODE:
        related, why = (
            [(parts.replicated.where("name"), "named here")],
            f"its job is named `{name}`, not `{facts.NODE}`",
        )
        help_ = f"name the runtime's job `{facts.NODE}`"
    elif subdomain:
        why = f"its pods are in the subdomain `{subdomain}`, not in that of the TrainJob's name"
        help_ = "remove `network.subdomain` from the runtime"
    if why:
        message = f"the workers never find the master of the runtime's policy: {why}"
        fault = error(codes.MASTER_HAS_ANOTHER_NAME, message, parts.where, help=help_, related=related)
        parts.spec.report.faults.append(fault)


def _report_cpus(parts: Parts, processes: int | str) -> None:
    """Report processes that are counted by the CPUs."""
    trainer = parts.spec.node.get(TRAINER)
    if not isinstance(processes, int) or processes == 1 or child(trainer, PROCESSES) is not None:
        return
    where = _amount(parts.main.container.node.get("resources")) or parts.where
    message = f"{processes} processes per worker: without a GPU the runtime's policy starts one for each CPU"
    help_ = "set `spec.trainer.numProcPerNode`"
    parts.spec.report.faults.append(warning(codes.PROCESSES_BY_CPUS, message, where, help=help_))


def _amount(resources: Node | None) -> Span | None:
    for kind in ("requests", "limits"):
        amount = child(resources, kind, "cpu")
        if amount is not None:
            return amount.span
    return None


def report_lost_claims(parts: Parts, template: Node) -> None:
    """Report devices that the training container loses: Trainer copies requests and limits, and no claims."""
    trainer = parts.spec.node.get(TRAINER)
    if not isinstance(trainer, Mapping) or RESOURCES not in trainer.entries:
        return
    for container in containers_of(template):
        claims = [scalar_text(each.get("name")) for each in mappings(child(container, "resources", "claims"))]
        if claims and scalar_text(container.get("name")) == facts.NODE:
            message = f"the container loses the runtime's resource claim `{claims[0]}` to `resourcesPerNode`"
            help_ = "remove `resourcesPerNode`, and set the resources in the runtime"
            where = trainer.where(RESOURCES)
            parts.spec.report.faults.append(error(codes.CLAIMS_LOST, message, where, help=help_))
