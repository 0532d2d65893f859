"""Merge Master and Worker of a PyTorchJob into one list of workers."""

from __future__ import annotations

from typing import Any

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, warning
from trainc.record import Record
from trainc.source.node import Scalar
from trainc.span import Text
from trainc.systems.pytorchjob.reader.literal_ranks import replace_literal_ranks
from trainc.systems.shared.kubeflow.reader import RESTART_POLICIES
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.replicas import report_differences
from trainc.systems.shared.reader.scale import count_node

NAMES = ("Master", "Worker")


class MergedRoles(Record):
    """Template of all workers, the number of Workers, and the fields of `lifecycle` that restart policies set.

    `count` is the number of all pods at the position of the Worker's replicas.
    """

    template: ForeignMapping
    has_master: bool
    workers: int
    lifecycle: dict[str, Any]
    count: Scalar

    @property
    def total(self) -> int:
        """Number of all pods."""
        return self.workers + self.has_master


def merge_roles(spec: ForeignMapping, injected: tuple[str, ...]) -> MergedRoles | None:
    """Return the roles, or None if nothing can run. The operator ignores the case of role names.

    The operator overwrites the environment variables in `injected`: their values make no difference.
    """
    section = spec.section("pytorchReplicaSpecs")
    if section is None:
        return None
    roles: dict[str, ForeignMapping] = {}
    for written in list(section.node.entries):
        name = next((name for name in NAMES if name.lower() == written.lower()), None)
        role = section.section(written)
        if name is None:
            section.report.add_error(f"unknown role `{written}`", section.key(written).span, expected="Master, Worker")
        elif role is not None:
            roles[name] = role
    if not roles:
        return None
    counts = {name: _count(name, role) for name, role in roles.items()}
    policies = {name: role.choice("restartPolicy", RESTART_POLICIES) for name, role in roles.items()}
    templates: dict[str, ForeignMapping] = {}
    for name, role in roles.items():
        template = role.section("template")
        if template is not None:
            templates[name] = template
            continue
        where = role.key("spec").span if "spec" in role else role.node.span.first
        help_ = "move the pod's `spec` below `template`" if "spec" in role else None
        role.report.add_error(f"the {name} has no template", where, expected="template", help=help_)
    if len(templates) < len(roles):
        return None
    main = "Worker" if "Worker" in roles else "Master"
    lifecycle = _restarts(roles[main], policies[main])
    if len(roles) == 2:
        if counts["Worker"] == 1:
            replace_literal_ranks(templates["Master"], templates["Worker"])
        names = ("the Worker", "the Master")
        report_differences(templates["Worker"], templates["Master"], names, injected)
        if (policies["Master"] or "OnFailure") != (policies["Worker"] or "OnFailure"):
            spec.report.diagnostics.append(_policies_differ(roles, policies))
        if counts["Worker"]:
            lifecycle["successPolicy"] = "Leader"
    return MergedRoles(
        template=templates[main],
        has_master="Master" in roles,
        workers=counts.get("Worker", 0),
        lifecycle=lifecycle,
        count=count_node(roles[main], "replicas", counts.get("Worker", 0) + ("Master" in roles)),
    )


def _policies_differ(roles: dict[str, ForeignMapping], policies: dict[str, Text | None]) -> Diagnostic:
    """Return a warning at the Master's policy if it is set, with the Worker's as a related position."""
    master, worker = (f"`{policies[name]}`" if policies[name] else "`OnFailure` by default" for name in NAMES)
    places = {name: roles[name].where("restartPolicy") for name in NAMES if policies[name] is not None}
    message = f"restartPolicy is {master} for the Master and {worker} for the Worker; all workers get the Worker's"
    related = [Related(span=places["Worker"], message="the Worker's value")] if len(places) > 1 else []
    return warning(codes.ROLE_PODS_DIFFER, message, next(iter(places.values())), related=related)


def _count(name: str, role: ForeignMapping) -> int:
    """https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/webhooks/pytorch/pytorchjob_webhook.go"""
    count = role.integer("replicas")
    if count is None:
        return 1
    if count < 1 or (name == "Master" and count != 1):
        expected = "1" if name == "Master" else "at least 1"
        message = f"the operator rejects {count} replicas of {name}"
        role.report.add_error(message, role.where("replicas"), expected=expected)
    return count


def _restarts(role: ForeignMapping, policy: Text | None) -> dict[str, Any]:
    """Return the fields: OnFailure restarts the container in its pod, ExitCode replaces the pod after some codes.

    https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/controller.v1/common/pod.go
    """
    if policy == "Never":
        return {"backoffLimit": 0}
    if policy == "ExitCode":
        return {Text("exitCodes", role.where("restartPolicy")): {"retryable": "signals"}}
    if policy == "Always":
        message = "restartPolicy `Always` becomes `OnFailure`: a worker that succeeded is not restarted"
        role.report.add_change(message, policy.span)
    return {"restartPolicy": "OnFailure"}
