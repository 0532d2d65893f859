"""Status of an MPIJob: updateMPIJobStatus of pkg/controller/mpi_job_controller.go in the MPI operator 0.8.2

The launcher's Job has the retries: https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/controller/job
"""

from __future__ import annotations

from collections.abc import Sequence

from trainc.plan.fields import Object, mapping, number, text
from trainc.status.events import Event
from trainc.status.pod_state import PodState
from trainc.status.times import timestamp
from trainc.systems.job.status import used_retries
from trainc.systems.mpijob import lifecycle
from trainc.systems.mpijob.facts import LAUNCHER, ROLE_LABEL, WORKER
from trainc.systems.shared.status import (
    ControllerStatus,
    Outcome,
    WorkerRecord,
    object_conditions,
    with_outcome,
)

_OUTCOMES: dict[str, Outcome] = {"Succeeded": "succeeded", "Failed": "failed"}


def observe(resource: Object, pods: Sequence[PodState]) -> ControllerStatus:
    """Return the status of an MPIJob."""
    policy = mapping(resource, "spec", "runPolicy")
    launchers = [each for each in pods if _role(each) == LAUNCHER.lower()]
    failed = sum(each.phase == "Failed" for each in launchers)
    status = ControllerStatus(
        started=timestamp(resource, "status", "startTime"),
        deadline=number(policy, "activeDeadlineSeconds"),
        desired=number(resource, "spec", "mpiReplicaSpecs", WORKER, "replicas"),
        retries=used_retries(lifecycle.retries(resource), failed, launchers) if resource else None,
        conditions=object_conditions(resource),
    )
    return with_outcome(resource, status, _OUTCOMES)


def worker_record(resource: Object, worker: str, pods: Sequence[PodState], events: Sequence[Event]) -> WorkerRecord:
    """Return the role."""
    return WorkerRecord(role=next((role for pod in pods if (role := _role(pod))), WORKER.lower()))


def _role(pod: PodState) -> str:
    return text(pod.manifest, "metadata", "labels", ROLE_LABEL)
