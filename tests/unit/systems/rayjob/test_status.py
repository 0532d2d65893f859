"""Outcomes of RayJobs by their status, as KubeRay writes it; tests/cluster/test_rayjob_status.py runs it.

https://github.com/ray-project/kuberay/blob/v1.5.0/ray-operator/controllers/ray/rayjob_controller.go
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.support.build import TARGET, compile_objects
from trainc.status.status import JobStatus, job_statuses

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
# Reconcile, with the dashboard's answer, and checkSubmitterAndUpdateStatusIfNeeded
SUCCEEDED = {"jobDeploymentStatus": "Complete", "jobStatus": "SUCCEEDED", "message": "Job finished successfully."}
STOPPED = {"jobDeploymentStatus": "Complete", "jobStatus": "STOPPED", "message": "Job was intentionally stopped."}
FAILED = {"jobDeploymentStatus": "Failed", "jobStatus": "FAILED", "reason": "AppFailed", "message": "exit code 3"}


def status(fields: dict[str, Any], change: dict[str, Any] | None = None, **spec: Any) -> JobStatus:
    """Return the status of a RayJob with these fields of its status, without pods."""
    (job,) = compile_objects(
        "rayjob", target=TARGET.replace(backend="rayjob"), **{"launch": {"ray": {}}, "workers": 2, **spec}
    )
    job["spec"].update(change or {})
    (shown,) = job_statuses([{**job, "status": fields}], NOW)
    return shown


@pytest.mark.parametrize(
    ("fields", "state", "summary"),
    [
        (SUCCEEDED, "succeeded", "Job finished successfully."),
        (STOPPED, "failed", "Job was intentionally stopped."),
        (FAILED, "failed", "exit code 3"),
        ({"jobDeploymentStatus": "Suspending"}, "paused", "no worker runs"),
        ({"jobDeploymentStatus": "Initializing"}, "pending", "0 of 2 workers run"),
        ({"jobDeploymentStatus": "Retrying", "failed": 1}, "pending", "0 of 2 workers run"),
        ({}, "pending", "0 of 2 workers run"),
    ],
)
def test_state(fields: dict[str, Any], state: str, summary: str) -> None:
    shown = status(fields)
    assert (shown.state, shown.phase, shown.summary) == (state, fields.get("jobDeploymentStatus", "Pending"), summary)


def test_failed_attempts_count_against_the_limit() -> None:
    """checkBackoffLimitAndUpdateStatusIfNeeded: at backoffLimit + 1 failures the RayJob has failed."""
    retries = status({"jobDeploymentStatus": "Running", "failed": 2}, lifecycle={"backoffLimit": 3}).retries
    assert retries
    assert (retries.used, retries.left()) == (2, 1)


def test_the_deadline_counts_from_the_start_of_the_attempt() -> None:
    """initRayJobStatusIfNeed sets startTime anew for each."""
    fields = {"jobDeploymentStatus": "Running", "startTime": "2026-11-22T11:00:00Z"}
    assert status(fields, lifecycle={"activeDeadlineSeconds": 7200}).deadline == datetime(2026, 11, 22, 13, tzinfo=UTC)


@pytest.mark.parametrize(("phase", "state"), [("Initializing", "paused"), ("Waiting", "degraded")])
def test_kuberay_suspends_only_a_job_that_starts_or_runs(phase: str, state: str) -> None:
    """updateStatusToSuspendingIfNeeded is not called for a RayJob that waits for a program."""
    shown = status({"jobDeploymentStatus": phase}, {"suspend": True})
    assert (shown.state == "paused") is (state == "paused")


def test_conditions_are_those_of_the_cluster() -> None:
    condition = {"type": "RayClusterProvisioned", "status": "True", "reason": "AllPodRunningAndReadyFirstTime"}
    shown = status({"jobDeploymentStatus": "Running", "rayClusterStatus": {"conditions": [condition]}})
    assert [each.type for each in shown.controller.conditions] == ["RayClusterProvisioned"]
