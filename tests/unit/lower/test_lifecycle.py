"""When the job has failed, and what is passed on as it is."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import lower_job

ELASTIC: dict[str, Any] = {"launch": {"torchrun": {}}, "elastic": {"minReplicas": 1, "maxReplicas": 8}}
RESTARTED = {"restartPolicy": "OnFailure"}


@pytest.mark.parametrize(
    ("spec", "together", "each"),
    [
        ({}, 6, None),
        ({"workers": 2}, None, 6),
        ({"workers": 100}, None, 6),
        (ELASTIC, None, 6),
        ({"workers": 100, "lifecycle": {"backoffLimit": 0}}, 0, None),
        ({"lifecycle": {"backoffLimit": 40}}, 40, None),
        ({"workers": 2, "lifecycle": {"backoffLimitPerIndex": 0}}, None, 0),
        ({"workers": 2, "lifecycle": {"backoffLimitPerIndex": 1, "backoffLimit": 9}}, 9, 1),
        ({"workers": 2, "shareFile": {"directory": "/shared"}}, 0, None),
    ],
)
def test_failures_are_counted_for_each_worker(spec: dict[str, Any], together: int | None, each: int | None) -> None:
    """One worker's failure ends all others, and each of their pods counts; Kubernetes' own default is 6."""
    failure = lower_job(**spec).failure
    assert (failure.backoff_limit, failure.backoff_limit_per_index) == (together, each)


@pytest.mark.parametrize(
    ("spec", "limit"),
    [({"workers": 1}, 6), ({"workers": 2}, 6), ({"workers": 3}, 9), ({"workers": 100}, 300), (ELASTIC, 24)],
)
def test_a_failure_of_all_workers_that_are_restarted_in_place_fits_thrice(spec: dict[str, Any], limit: int) -> None:
    """Kubernetes takes a limit for each worker only where a failed pod is replaced, and an elastic job may reach its
    maximum."""
    failure = lower_job(**spec, lifecycle=RESTARTED).failure
    assert (failure.backoff_limit, failure.backoff_limit_per_index) == (limit, None)


def test_times_are_passed_on() -> None:
    lifecycle = {
        "activeDeadlineSeconds": 60,
        "ttlSecondsAfterFinished": 0,
        "terminationGracePeriodSeconds": 0,
        "restartPolicy": "OnFailure",
    }
    job = lower_job(lifecycle=lifecycle)
    assert job.failure.active_deadline_seconds == 60
    assert job.failure.restart_policy == "OnFailure"
    assert job.ttl_seconds_after_finished == 0
    assert job.pod.termination_grace_period_seconds == 0


def test_of_a_job_that_leaves_no_pods_nothing_is_kept() -> None:
    """A Job's finished pods go with the Job: kubernetes.io/docs/concepts/workloads/controllers/ttlafterfinished."""
    assert lower_job(lifecycle={"cleanPodPolicy": "All"}).ttl_seconds_after_finished == 0


@pytest.mark.parametrize("policy", ["None", "Running", "Unfinished"])
def test_a_policy_that_keeps_finished_pods_keeps_the_job(policy: str) -> None:
    kept = {"cleanPodPolicy": policy}
    assert lower_job(lifecycle=kept).ttl_seconds_after_finished is None
    assert lower_job(lifecycle={**kept, "ttlSecondsAfterFinished": 60}).ttl_seconds_after_finished == 60


def test_what_is_not_given_is_left_to_the_back_end() -> None:
    job = lower_job()
    assert job.failure.active_deadline_seconds is None
    assert job.failure.restart_policy is None
    assert job.ttl_seconds_after_finished is None
    assert job.pod.termination_grace_period_seconds is None


def test_an_elastic_job_is_done_when_worker_0_is() -> None:
    elastic = {"minReplicas": 1, "maxReplicas": 2}
    assert lower_job(launch={"torchrun": {}}, elastic=elastic).leader_decides
    assert not lower_job(workers=2).leader_decides
