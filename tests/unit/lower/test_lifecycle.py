"""When the job has failed, and what is passed on as it is."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import lowered


@pytest.mark.parametrize(
    ("spec", "limit"),
    [
        ({}, 6),
        ({"workers": 2}, 6),
        ({"workers": 3}, 9),
        ({"workers": 100}, 300),
        ({"launch": {"torchrun": {}}, "elastic": {"minReplicas": 1, "maxReplicas": 8}}, 24),
        ({"workers": 100, "lifecycle": {"backoffLimit": 0}}, 0),
        ({"lifecycle": {"backoffLimit": 40}}, 40),
    ],
)
def test_a_failure_of_all_workers_fits_into_the_backoff_limit_thrice(spec: dict[str, Any], limit: int) -> None:
    """One worker's failure ends all others, and each of their pods counts; Kubernetes' own default is 6."""
    assert lowered(**spec).failure.backoff_limit == limit


def test_times_are_passed_on() -> None:
    lifecycle = {
        "activeDeadlineSeconds": 60,
        "ttlSecondsAfterFinished": 0,
        "terminationGracePeriodSeconds": 0,
        "restartPolicy": "OnFailure",
    }
    job = lowered(lifecycle=lifecycle)
    assert job.failure.active_deadline_seconds == 60
    assert job.failure.restart_policy == "OnFailure"
    assert job.ttl_seconds_after_finished == 0
    assert job.pod.termination_grace_period_seconds == 0


def test_what_is_not_given_is_left_to_the_back_end() -> None:
    job = lowered()
    assert job.failure.active_deadline_seconds is None
    assert job.failure.restart_policy is None
    assert job.ttl_seconds_after_finished is None
    assert job.pod.termination_grace_period_seconds is None


def test_an_elastic_job_is_done_when_worker_0_is() -> None:
    elastic = {"minReplicas": 1, "maxReplicas": 2}
    assert lowered(launch={"torchrun": {}}, elastic=elastic).leader_decides
    assert not lowered(workers=2).leader_decides
