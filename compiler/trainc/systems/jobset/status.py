"""Status of a JobSet, https://jobset.sigs.k8s.io/docs/concepts/, and of the workers of its Jobs."""

from __future__ import annotations

from collections.abc import Sequence

from trainc.plan.fields import Object, count, items, mapping, number
from trainc.plan.models import is_suspended
from trainc.status.events import Event
from trainc.status.pod_state import PodState
from trainc.status.times import timestamp
from trainc.systems.job import status as job_status
from trainc.systems.jobset import lifecycle
from trainc.systems.jobset.model.child_jobs import replica_count
from trainc.systems.shared.lifecycle import Retries
from trainc.systems.shared.status import (
    ControllerStatus,
    Outcome,
    WorkerRecord,
    object_conditions,
    with_outcome,
)

_OUTCOMES: dict[str, Outcome] = {"Failed": "failed", "Completed": "succeeded", "Suspended": "paused"}


def observe(resource: Object, pods: Sequence[PodState]) -> ControllerStatus:
    """Return the status of a JobSet."""
    status = ControllerStatus(
        started=timestamp(resource, "metadata", "creationTimestamp"),
        desired=0 if is_suspended(resource) else sum(map(_pod_count, items(resource, "spec", "replicatedJobs"))),
        retries=_retries(resource),
        conditions=object_conditions(resource),
    )
    return with_outcome(resource, status, _OUTCOMES)


def _pod_count(replicated: Object) -> int:
    return replica_count(replicated) * count(replicated, "template", "spec", "parallelism")


def _retries(resource: Object) -> Retries | None:
    retries = lifecycle.retries(mapping(resource, "spec"))
    return retries and retries.replace(used=number(resource, "status", "restartsCountTowardsMax") or 0)


def worker_record(resource: Object, worker: str, pods: Sequence[PodState], events: Sequence[Event]) -> WorkerRecord:
    """Return what the Job of a worker notes about it."""
    jobs = items(resource, "spec", "replicatedJobs")
    job = mapping(jobs[0], "template") if len(jobs) == 1 else {}
    return job_status.worker_record(job, worker, pods, events)
