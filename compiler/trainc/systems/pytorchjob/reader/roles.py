"""Merge Master and Worker of a PyTorchJob into one list of workers. They may differ in literal node ranks."""

from __future__ import annotations

import re
from typing import Any

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, warning
from trainc.diagnostics.remedy import replace
from trainc.record import Record
from trainc.source.node import Mapping, Scalar
from trainc.span import Text
from trainc.systems.pytorchjob.fields import FIELDS, ROLES
from trainc.systems.shared.kubeflow.reader import RESTART_POLICIES
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.pod_trees import command_words, containers_of, reference, with_containers, with_words
from trainc.systems.shared.reader.replicas import count_node
from trainc.systems.shared.reader.role_differences import report_differences

NAMES = ("Master", "Worker")
REPLICAS, RESTART_POLICY = FIELDS["workers"].name, FIELDS["lifecycle.restartPolicy"].name
OPTION = re.compile(r"(--node[-_]rank[= ]\s*)([0-9]+)\b")
SEPARATE_OPTION = ("--node_rank", "--node-rank")


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
    section = spec.section(ROLES)
    if section is None:
        return None
    roles: dict[str, ForeignMapping] = {}
    for key in list(section.node.entries):
        name = next((name for name in NAMES if name.lower() == key.lower()), None)
        role = section.section(key)
        if name is None:
            section.report.add_error(f"unknown role `{key}`", section.key(key).span, expected="Master, Worker")
        elif role is not None:
            roles[name] = role
    if not roles:
        return None
    counts = {name: _count(name, role) for name, role in roles.items()}
    policies = {name: role.choice(RESTART_POLICY, RESTART_POLICIES) for name, role in roles.items()}
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
        count=count_node(roles[main], REPLICAS, counts.get("Worker", 0) + ("Master" in roles)),
    )


def _policies_differ(roles: dict[str, ForeignMapping], policies: dict[str, Text | None]) -> Diagnostic:
    """Return a warning at the Master's policy if it is set, with the Worker's as a related position."""
    master, worker = (f"`{policies[name]}`" if policies[name] else "`OnFailure` by default" for name in NAMES)
    places = {name: roles[name].where(RESTART_POLICY) for name in NAMES if policies[name] is not None}
    message = f"restartPolicy is {master} for the Master and {worker} for the Worker; all workers get the Worker's"
    related = [(places["Worker"], "the Worker's value")] if len(places) > 1 else []
    return warning(codes.ROLE_PODS_DIFFER, message, next(iter(places.values())), related=related)


def _count(name: str, role: ForeignMapping) -> int:
    """https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/webhooks/pytorch/pytorchjob_webhook.go"""
    count = role.integer(REPLICAS)
    if count is None:
        return 1
    if count < 1 or (name == "Master" and count != 1):
        expected = "1" if name == "Master" else "at least 1"
        message = f"the operator rejects {count} replicas of {name}"
        role.report.add_error(message, role.where(REPLICAS), expected=expected)
    return count


def _restarts(role: ForeignMapping, policy: Text | None) -> dict[str, Any]:
    """Return the fields: OnFailure restarts the container in its pod, ExitCode replaces the pod after some codes.

    https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/controller.v1/common/pod.go
    """
    if policy == "Never":
        return {"backoffLimit": 0}
    if policy == "ExitCode":
        return {Text("exitCodes", role.where(RESTART_POLICY)): {"retryable": "signals"}}
    if policy == "Always":
        message = "restartPolicy `Always` becomes `OnFailure`: a worker that succeeded is not restarted"
        role.report.add_change(message, policy.span)
        message = "the job never succeeds: with restartPolicy `Always` a worker that succeeded is restarted"
        remedy = replace(policy.span, "OnFailure")
        fault = warning(codes.RESTARTS_AFTER_COMPLETION, message, policy.span, help="use OnFailure", remedy=remedy)
        role.report.faults.append(fault)
    where = role.where(RESTART_POLICY) if policy is not None else role.node.span.first
    return {"restartPolicy": Scalar("OnFailure", "OnFailure", where)}


def replace_literal_ranks(master: ForeignMapping, worker: ForeignMapping) -> None:
    """Replace the numbers 0 and 1 by the operator's RANK, with a note; change nothing if more than these differs."""
    replaced = [_replace(template.node, rank) for template, rank in ((master, "0"), (worker, "1"))]
    words = [[word.text for word in _words(node)] for node in replaced]
    if words[0] != words[1] or not any("RANK" in word for word in words[1]):
        return
    if [word.text for word in _words(master.node)] == [word.text for word in _words(worker.node)]:
        return
    where = next(old.span for old, new in zip(_words(worker.node), words[1], strict=True) if old.text != new)
    worker.report.add_change("the literal node ranks 0 and 1 become each worker's own rank", where)
    for template, node in zip((master, worker), replaced, strict=True):
        template.node = node


def _replace(template: Mapping, rank: str) -> Mapping:
    """Return a pod template with the variable in place of the rank."""

    def change(text: str, previous: str) -> str:
        variable = reference("RANK", text)
        if previous in SEPARATE_OPTION and text == rank:
            return variable
        return OPTION.sub(lambda match: match[1] + (variable if match[2] == rank else match[2]), text)

    return with_containers(template, lambda container: with_words(container, change))


def _words(template: Mapping) -> list[Scalar]:
    words = (word for container in containers_of(template) for word in command_words(container))
    return [word for word in words if isinstance(word, Scalar)]
