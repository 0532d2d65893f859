"""Policies of a Job of Volcano about failures: applyPolicies of pkg/controllers/job/job_controller_util.go.

The first policy that matches an event of a pod, or its exit code, has the action.
"""

from __future__ import annotations

from trainc.ir.job import Failure, Job
from trainc.systems.vcjob.facts import MAX_RETRY
from trainc.typenames import Any

_LARGEST = 2**31 - 1


def max_retry(job: Job) -> int:
    """Return the number of the failure that ends the Job: restartingState of pkg/controllers/job/state/restarting.go.

    The webhook replaces 0.
    """
    return min((job.failure.backoff_limit or 0) + 1, _LARGEST)


def task_retries(failure: Failure) -> int:
    """Return the restarts of containers after which the task has failed: TaskFailed of pkg/controllers/cache/cache.go.

    Without restarts in place it is the webhook's default, mutateSpec of
    pkg/webhooks/admission/jobs/mutate/mutate_job.go: a manifest without it can't be applied again,
    https://github.com/volcano-sh/volcano/issues/2238
    """
    return max(failure.backoff_limit or 0, 1) if failure.restart_policy == "OnFailure" else MAX_RETRY


def policies(job: Job) -> list[dict[str, Any]]:
    """Return the policies: exit codes that end the Job, then restarts of all workers, or of one of an elastic job."""
    failure = job.failure
    restart = "RestartPod" if job.replicas.elastic else "RestartJob"
    rules: list[dict[str, Any]] = [{"exitCode": code, "action": "TerminateJob"} for code in failure.fatal]
    if failure.unless:
        rules += [{"exitCode": code, "action": restart} for code in failure.unless if code not in failure.fatal]
        rules.append({"event": "PodEvicted", "action": restart})
        rules.append({"event": "PodFailed", "action": "TerminateJob"})
    else:
        rules.append({"events": ["PodFailed", "PodEvicted"], "action": restart})
    if failure.restart_policy == "OnFailure":
        rules.append({"event": "TaskFailed", "action": "TerminateJob"})
    return rules
