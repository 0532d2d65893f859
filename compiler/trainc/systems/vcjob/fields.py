"""Fields of a Job of Volcano by the fields of job files, and their values.

https://github.com/volcano-sh/volcano/blob/v1.15.1/staging/src/volcano.sh/apis/pkg/apis/batch/v1alpha1/job.go
"""

from __future__ import annotations

from trainc.systems.shared.fields import Field, Fields, table
from trainc.systems.vcjob import facts
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.ir.job import Job

_LARGEST = 2**31 - 1


def _max_retry(job: Job) -> int:
    """Return the number of the failure that ends the Job: restartingState of pkg/controllers/job/state/restarting.go.

    The webhook replaces 0.
    """
    return min((job.failure.backoff_limit or 0) + 1, _LARGEST)


# Names in the spec. A task has fields with the first three names, too.
RETRIES, POLICIES, GANG, SUCCESS, PRIORITY = "maxRetry", "policies", "minAvailable", "minSuccess", "priorityClassName"
SCHEDULER, QUEUE = "schedulerName", "queue"
_SECTIONS: dict[str, Fields] = {
    "spec": {
        "scheduling.schedulerName": Field(
            SCHEDULER, write=lambda job: job.pod.placement.scheduler_name or facts.SCHEDULER
        ),
        "scheduling.gang.volcano.queue": Field(QUEUE, write=lambda job: job.gang and job.gang.queue),
        "scheduling.priorityClassName": Field(PRIORITY, write="pod.placement.priority_class_name"),
        "scheduling.gang": Field(GANG, write=lambda job: min(job.replicas.minimum, job.replicas.initial)),
        # The Job ends with any worker's success: TaskCompleted follows when all pods of the task have succeeded.
        "lifecycle.successPolicy": Field(SUCCESS, write=lambda job: 1 if job.leader_decides else None),
        "lifecycle.backoffLimit": Field(RETRIES, write=_max_retry),
        "lifecycle.ttlSecondsAfterFinished": Field("ttlSecondsAfterFinished", "consume", "ttl_seconds_after_finished"),
        "lifecycle.exitCodes": Field(POLICIES),
    },
    "spec.tasks[0]": {"workers": Field("replicas")},
    "spec.tasks[0].template.spec": {"lifecycle.restartPolicy": Field("restartPolicy")},
}
FIELDS = table(_SECTIONS)
