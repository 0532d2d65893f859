"""Status of a PyTorchJob under Kubeflow's training operator 1.9."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from trainc.plan.fields import Object, mapping, text
from trainc.status.events import Event
from trainc.status.pod_state import PodState
from trainc.systems.pytorchjob.facts import TYPE_LABEL, WORKER
from trainc.systems.pytorchjob.lifecycle import reaction
from trainc.systems.shared.kubeflow.status import observe_roles, record
from trainc.systems.shared.status import ControllerStatus, WorkerRecord


def observe(resource: Object, pods: Sequence[PodState]) -> ControllerStatus:
    """Return the status of a PyTorchJob."""
    policy = mapping(resource, "spec", "runPolicy")
    return observe_roles(resource, policy, _roles(resource).values(), pods)


def worker_record(resource: Object, worker: str, pods: Sequence[PodState], events: Sequence[Event]) -> WorkerRecord:
    """Return the role of a worker, and what its restartPolicy makes of a failure."""
    role = text(pods[-1].manifest, "metadata", "labels", TYPE_LABEL) if pods else ""
    specs = {name.lower(): spec for name, spec in _roles(resource).items()}
    policy = text(specs.get(role or WORKER.lower(), {}), "restartPolicy")
    after = partial(reaction, mapping(resource, "spec", "runPolicy"), policy)
    return record(resource, worker, pods, events, policy, after).replace(role=role or WORKER.lower())


def _roles(resource: Object) -> dict[str, Object]:
    roles = mapping(resource, "spec", "pytorchReplicaSpecs")
    return {str(name): spec for name, spec in roles.items() if isinstance(spec, dict)}
