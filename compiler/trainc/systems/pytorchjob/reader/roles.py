"""Master and Worker of a PyTorchJob as one list of workers."""

from __future__ import annotations

from typing import Any

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, warning
from trainc.record import Record
from trainc.source.node import Node, Scalar
from trainc.span import Span, Text
from trainc.systems.pytorchjob.reader.literal_ranks import replace_literal_ranks
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.replicas import report_differences

NAMES = ("Master", "Worker")
POLICIES = ("Always", "OnFailure", "Never", "ExitCode")


class MergedRoles(Record):
    """The template of all, how many there are, and what restart policies say of our lifecycle."""

    template: ForeignMapping
    master: bool
    workers: int
    lifecycle: dict[str, Any]
    where: Span

    @property
    def has_workers(self) -> bool:
        """Whether there is a Worker beside or in place of the Master."""
        return self.workers > 0

    @property
    def total(self) -> int:
        """All pods."""
        return self.workers + self.master

    def worker_count(self) -> Node:
        """How many, at the place of the Worker's number."""
        return Scalar(self.total, str(self.total), self.where)


def merge_roles(spec: ForeignMapping, injected: tuple[str, ...]) -> MergedRoles | None:
    """None when there is nothing to run. The operator takes the names in any case of their letters.

    Variables in `injected` are the operator's, whatever the roles say of them.
    """
    section = spec.section("pytorchReplicaSpecs")
    if section is None:
        return None
    found: dict[str, ForeignMapping] = {}
    for written in list(section.node.entries):
        name = next((name for name in NAMES if name.lower() == written.lower()), None)
        role = section.section(written)
        if name is None:
            section.report.add_error(
                f"a PyTorchJob has no {written}", section.key(written).span, expected="Master, Worker"
            )
        elif role is not None:
            found[name] = role
    if not found:
        return None
    counts = {name: _count(name, role) for name, role in found.items()}
    policies = {name: role.string("restartPolicy") for name, role in found.items()}
    templates = {name: role.section("template") for name, role in found.items()}
    given = {name: template for name, template in templates.items() if template is not None}
    for name, role in found.items():
        if name not in given:
            where = role.key("spec").span if "spec" in role else role.node.span.first
            help_ = "the pod's `spec` stands in `template`" if "spec" in role else None
            role.report.add_error(f"the {name} has no template", where, expected="template", help=help_)
    if len(given) < len(found):
        return None
    kept = "Worker" if "Worker" in given else "Master"
    if kept == "Worker" and "Master" in given:
        if counts["Worker"] == 1:
            replace_literal_ranks(given["Master"], given["Worker"])
        report_differences(given["Worker"], given["Master"], ("the Worker", "the Master"), spec.report, injected)
    lifecycle = _restarts(found[kept], policies[kept])
    other = policies.get("Master")
    if kept == "Worker" and "Master" in found and (other or "OnFailure") != (policies[kept] or "OnFailure"):
        spec.report.diagnostics.append(_apart(found, policies))
    if "Master" in found and counts.get("Worker"):
        lifecycle["successPolicy"] = "Leader"
    return MergedRoles(
        template=given[kept],
        master="Master" in found,
        workers=counts.get("Worker", 0),
        lifecycle=lifecycle,
        where=found[kept].where("replicas") if "replicas" in found[kept] else found[kept].node.span.first,
    )


def _apart(found: dict[str, ForeignMapping], policies: dict[str, Text | None]) -> Diagnostic:
    """The Master's and the Worker's, at the one that is written, the other beside it."""
    given = {name: policies[name] or "OnFailure, the default" for name in NAMES}
    places = {name: found[name].where("restartPolicy") for name in NAMES if policies[name] is not None}
    message = f"the Master's restartPolicy is {given['Master']}, and all workers get the Worker's, {given['Worker']}"
    related = [Related(span=places["Worker"], message="the Worker's")] if len(places) > 1 else []
    return warning(codes.ROLE_PODS_DIFFER, message, next(iter(places.values())), related=related)


def _count(name: str, role: ForeignMapping) -> int:
    """https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/webhooks/pytorch/pytorchjob_webhook.go"""
    count = role.integer("replicas")
    if count is None:
        return 1
    if count < 1 or (name == "Master" and count != 1):
        wanted = "1" if name == "Master" else "at least 1"
        role.report.add_error(
            f"the operator refuses {count} replicas of {name}", role.where("replicas"), expected=wanted
        )
    return count


def _restarts(role: ForeignMapping, policy: Text | None) -> dict[str, Any]:
    """The operator's OnFailure restarts the container in its pod, its ExitCode makes the pod anew by the code.

    https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/controller.v1/common/pod.go
    """
    name = policy or "OnFailure"
    if policy is not None and name not in POLICIES:
        role.report.add_error(f"there is no restart policy {name}", policy.span, expected=", ".join(POLICIES))
    if name == "Never":
        return {"backoffLimit": 0}
    if name == "ExitCode":
        return {Text("exitCodes", role.where("restartPolicy")): {"retryable": "signals"}}
    if name == "Always" and policy is not None:
        role.report.add_change("a container that ended well would be started again; with trainc it isn't", policy.span)
    return {"restartPolicy": "OnFailure"}
