"""Status of an MPIJob: updateMPIJobStatus of pkg/controller/mpi_job_controller.go in the MPI operator 0.8.2"""

from __future__ import annotations

from collections.abc import Sequence

from trainc.plan.fields import Object, at, mapping, number
from trainc.status.pod_state import PodState
from trainc.status.times import timestamp
from trainc.systems.mpijob.facts import WORKER
from trainc.systems.shared.status import ControllerStatus, Outcome, no_record, object_conditions, with_outcome

_OUTCOMES: dict[str, Outcome] = {"Succeeded": "succeeded", "Failed": "failed"}
worker_record = no_record


def observe(resource: Object, pods: Sequence[PodState]) -> ControllerStatus:
    """Return the status of an MPIJob."""
    policy = mapping(resource, "spec", "runPolicy")
    status = ControllerStatus(
        started=timestamp(resource, "status", "startTime"),
        deadline=number(policy, "activeDeadlineSeconds"),
        desired=number(resource, "spec", "mpiReplicaSpecs", WORKER, "replicas"),
        conditions=object_conditions(resource),
        resume='{"spec":{"runPolicy":{"suspend":false}}}',
    )
    status = with_outcome(status, _OUTCOMES)
    return status.replace(outcome="paused") if at(policy, "suspend") is True and not status.outcome else status
