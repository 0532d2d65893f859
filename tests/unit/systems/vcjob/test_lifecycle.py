"""What follows an event of a Job of Volcano.

https://github.com/volcano-sh/volcano/tree/v1.15.1/pkg/controllers/job: applyPolicies of job_controller_util.go,
restartingState of state/restarting.go
"""

from __future__ import annotations

import pytest

from trainc.systems.vcjob.lifecycle import action, retries
from trainc.systems.vcjob.model.spec import read_job

TASK = [{"event": "PodEvicted", "action": "RestartPod"}, {"exitCode": 3, "action": "TerminateJob"}]
JOB = [{"events": ["PodFailed", "PodEvicted"], "action": "RestartJob"}, {"exitCode": 3, "action": "AbortJob"}]


@pytest.mark.parametrize(
    ("event", "code", "expected"),
    [
        # The policies of the task come first; an exit code matches like an event.
        ("PodEvicted", None, "RestartPod"),
        ("PodFailed", 3, "TerminateJob"),
        ("PodFailed", 1, "RestartJob"),
        ("TaskCompleted", None, ""),
    ],
)
def test_the_first_policy_of_the_task_then_of_the_job(event: str, code: int | None, expected: str) -> None:
    job = read_job({"spec": {"policies": JOB, "tasks": [{"name": "worker", "replicas": 2, "policies": TASK}]}})
    assert action(job, job.tasks[0], event, code) == expected


@pytest.mark.parametrize(("max_retry", "fatal"), [(None, 3), (0, 3), (1, 1), (5, 5)])
def test_the_job_fails_at_the_restart_with_the_number_of_max_retry(max_retry: int | None, fatal: int) -> None:
    """The webhook's default is 3: DefaultMaxRetry of pkg/webhooks/admission/jobs/mutate/mutate_job.go."""
    assert retries({"maxRetry": max_retry}).fatal == fatal
