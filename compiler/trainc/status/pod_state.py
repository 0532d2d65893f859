"""State of one pod: its phase, and the problem that keeps it from running."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from trainc.plan.fields import Object, items, mapping, text
from trainc.record import Record
from trainc.status.containers import ContainerStatus, container_statuses
from trainc.status.events import Events
from trainc.status.pod_problems import Problem, failure, problem
from trainc.status.times import timestamp

# Phases of a pod in the status of a T9k job: those of Kubernetes, and a pod without a node, and a deleted one.
# https://github.com/t9k/user-manuals/blob/fbf6b3c/src/references/api-reference/genericjob.md#aggregate
Phase = Literal["Creating", "Pending", "Running", "Succeeded", "Failed", "Unknown", "Deleted"]
PHASES: tuple[Phase, ...] = ("Creating", "Pending", "Running", "Succeeded", "Failed", "Unknown", "Deleted")


class PodState(Record):
    """State of a pod; `since` is when it entered its phase, as far as its status tells."""

    name: str
    uid: str
    hostname: str
    node: str
    phase: Phase
    problem: Problem | None
    containers: tuple[ContainerStatus, ...]
    created: datetime | None
    started: datetime | None
    since: datetime | None
    deleting: datetime | None
    manifest: Object

    @property
    def restarts(self) -> int:
        """Restarts of all its containers."""
        return sum(each.restarts for each in self.containers)

    @property
    def runs(self) -> bool:
        """Return whether its programs run now."""
        return self.phase == "Running" and any(each.state == "Running" for each in self.containers if not each.is_init)

    @property
    def has_ended(self) -> bool:
        """Return whether none of its containers will run again."""
        return self.phase in ("Succeeded", "Failed", "Deleted")


def pod_state(pod: Object, events: Events) -> PodState:
    """Return the state of a pod."""
    containers = tuple(container_statuses(pod))
    phase = _phase(pod)
    created, deleting = (timestamp(pod, "metadata", field) for field in ("creationTimestamp", "deletionTimestamp"))
    about = events.about("Pod", text(pod, "metadata", "name"), text(pod, "metadata", "uid"))
    started = max((each.started for each in containers if each.state == "Running" and each.started), default=None)
    return PodState(
        name=text(pod, "metadata", "name"),
        uid=text(pod, "metadata", "uid"),
        hostname=text(pod, "spec", "hostname") or text(pod, "metadata", "name"),
        node=text(pod, "spec", "nodeName"),
        phase=phase,
        problem=failure(pod, containers) if phase == "Failed" else problem(pod, phase, containers, about),
        containers=containers,
        created=created,
        started=started,
        since=_since(phase, created, started, containers),
        deleting=deleting,
        manifest=pod,
    )


def _phase(pod: Object) -> Phase:
    phase = text(pod, "status", "phase")
    if phase in ("", "Pending") and not text(pod, "spec", "nodeName"):
        return "Creating"
    return next((known for known in PHASES[1:-1] if known == phase), "Pending" if phase == "" else "Unknown")


def _since(
    phase: Phase, created: datetime | None, started: datetime | None, containers: tuple[ContainerStatus, ...]
) -> datetime | None:
    if phase == "Running":
        return started or created
    if phase in ("Succeeded", "Failed"):
        ends = (each.exit.time for each in containers if each.exit and each.exit.time)
        return max(ends, default=created)
    return created


def conditions(manifest: Object) -> dict[str, Object]:
    """Return the conditions of an object's status by type."""
    return {text(each, "type"): each for each in items(mapping(manifest, "status"), "conditions")}
