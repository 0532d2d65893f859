"""Backoff limits, deadlines and cleanup."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import lower_job

ELASTIC: dict[str, Any] = {"launch": {"torchrun": {}}, "elastic": {"minReplicas": 1, "maxReplicas": 8}}
RESTARTED_IN_PLACE = {"restartPolicy": "OnFailure"}


@pytest.mark.parametrize(
    ("spec", "limit", "limit_per_index"),
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
def test_failures_are_counted_per_worker(spec: dict[str, Any], limit: int | None, limit_per_index: int | None) -> None:
    """One worker's failure ends all others, and each of their pods counts; Kubernetes' default is 6."""
    failure = lower_job(**spec).failure
    assert (failure.backoff_limit, failure.backoff_limit_per_index) == (limit, limit_per_index)


@pytest.mark.parametrize(
    ("spec", "limit"),
    [({"workers": 1}, 6), ({"workers": 2}, 6), ({"workers": 3}, 9), ({"workers": 100}, 300), (ELASTIC, 24)],
)
def test_the_limit_of_restarted_workers_allows_three_failures_of_all(spec: dict[str, Any], limit: int) -> None:
    """Kubernetes counts per index only if failed pods are replaced. Elastic jobs are counted at their maximum."""
    failure = lower_job(**spec, lifecycle=RESTARTED_IN_PLACE).failure
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


def test_clean_pod_policy_all_deletes_the_job() -> None:
    """A Job's finished pods are deleted with it: kubernetes.io/docs/concepts/workloads/controllers/ttlafterfinished."""
    assert lower_job(lifecycle={"cleanPodPolicy": "All"}).ttl_seconds_after_finished == 0


@pytest.mark.parametrize("policy", ["None", "Running", "Unfinished"])
def test_other_clean_pod_policies_keep_the_job(policy: str) -> None:
    lifecycle = {"cleanPodPolicy": policy}
    assert lower_job(lifecycle=lifecycle).ttl_seconds_after_finished is None
    assert lower_job(lifecycle={**lifecycle, "ttlSecondsAfterFinished": 60}).ttl_seconds_after_finished == 60


def test_lifecycle_has_no_defaults() -> None:
    job = lower_job()
    assert job.failure.active_deadline_seconds is None
    assert job.failure.restart_policy is None
    assert job.ttl_seconds_after_finished is None
    assert job.pod.termination_grace_period_seconds is None


def test_worker_0_decides_about_elastic_jobs() -> None:
    elastic = {"minReplicas": 1, "maxReplicas": 2}
    assert lower_job(launch={"torchrun": {}}, elastic=elastic).leader_decides
    assert not lower_job(workers=2).leader_decides
