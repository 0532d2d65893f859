"""Rehearsals of launch.jax with the real jax on CPUs.

The heartbeat timeout of the probe is 30 s instead of JAX's 100 s.
"""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from tests.rehearsal.launchers import jobs
from tests.rehearsal.launchers.jobs import failed_expectations, run_scenario

ABORTED = 134  # SIGABRT: tests/unit/launchers/jax.json


@pytest.fixture(autouse=True)
def _require_jax(python: str) -> None:
    code = "import importlib.util, sys; sys.exit(importlib.util.find_spec('jax') is None)"
    if subprocess.run([python, "-c", code], check=False).returncode:
        pytest.skip("the Python of the pods has no jax")


@pytest.mark.parametrize("spec", [jobs.JAX, jobs.JAX_PROCESSES], ids=["processes-1", "processes-2"])
def test_the_processes_form_the_planned_world_and_finish(spec: dict[str, Any], python: str) -> None:
    for scenario in ("form", "finish"):
        verdict = run_scenario(scenario, spec, python)
        assert failed_expectations(verdict) == []
        assert verdict.outcome == "passed"


@pytest.mark.parametrize("scenario", ["lose-pod", "lose-pod-0"])
def test_all_workers_of_a_job_set_restart_when_one_is_lost(scenario: str, python: str) -> None:
    verdict = run_scenario(scenario, jobs.JAX, python, "jobset")
    assert failed_expectations(verdict) == []
    assert verdict.outcome == "passed"


def test_the_others_abort_when_the_coordinator_is_lost(python: str) -> None:
    """Bare Pods are not replaced, so that nothing but JAX ends the other worker."""
    spec = {**jobs.JAX, "lifecycle": {**jobs.LIFECYCLE, "restartPolicy": "Never"}}
    verdict = run_scenario("lose-pod-0", spec, python, "pods")
    assert failed_expectations(verdict) == []
    (exits,) = (check for check in verdict.checks if check.expectation == "all other launchers exit")
    assert any(f"exit_code={ABORTED}" in line or "exit_code=1" in line for line in exits.evidence), exits.evidence


@pytest.mark.slow
def test_a_silent_worker_is_detected_by_its_heartbeats(python: str) -> None:
    """The connections of a partitioned worker stay open: collectives hang until the heartbeats' timeout, 30 s here."""
    verdict = run_scenario("network-partition", jobs.JAX, python, "jobset", patience=180.0)
    assert failed_expectations(verdict) == []
