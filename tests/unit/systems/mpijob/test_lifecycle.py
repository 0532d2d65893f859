"""Limit of the launcher of an MPIJob, which is that of its Job."""

from __future__ import annotations

import pytest

from trainc.systems.mpijob.lifecycle import retries


@pytest.mark.parametrize(
    ("launcher", "policy", "counted", "fatal"),
    [
        # SetDefaults_MPIJob of pkg/apis/kubeflow/v2beta1/default.go: OnFailure. The Job's default is 6, reached by
        # restarts (TestJobBackoffForOnFailure of Kubernetes' job_controller_test.go) and exceeded by failed pods.
        ({}, {}, "container restarts", 6),
        ({"restartPolicy": "OnFailure"}, {"backoffLimit": 0}, "container restarts", 1),
        ({"restartPolicy": "Never"}, {}, "failed pods", 7),
        ({"restartPolicy": "Never"}, {"backoffLimit": 1}, "failed pods", 2),
    ],
)
def test_the_launchers_job_counts(launcher: dict[str, str], policy: dict[str, int], counted: str, fatal: int) -> None:
    limit = retries({"spec": {"runPolicy": policy, "mpiReplicaSpecs": {"Launcher": launcher}}})
    assert (limit.counted, limit.fatal) == (counted, fatal)
