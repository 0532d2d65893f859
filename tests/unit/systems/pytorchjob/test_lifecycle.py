"""What follows a failed pod of a PyTorchJob: RestartPolicy of
https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/apis/kubeflow.org/v1/common_types.go
"""

from __future__ import annotations

from typing import Any

import pytest

from trainc.systems.pytorchjob.lifecycle import reaction
from trainc.systems.shared.kubeflow.lifecycle import retries
from trainc.systems.shared.lifecycle import PodFailure


@pytest.mark.parametrize(
    ("restart_policy", "policy", "exits", "effect"),
    [
        # "1-127: permanent error, do not restart. 128-255: retryable error, will restart the pod."
        ("ExitCode", {}, (("pytorch", 127),), "job fails"),
        ("ExitCode", {}, (("pytorch", 128),), "replaced"),
        ("ExitCode", {"backoffLimit": 3}, (("pytorch", 255),), "replaced"),
        # ReconcilePods reads the container `pytorch` alone; without its exit code it is 0xbeef.
        ("ExitCode", {}, (("sidecar", 1),), "replaced"),
        ("ExitCode", {}, (), "replaced"),
        # ReconcileJobs: int32(previousRetry)+1 > *runPolicy.BackoffLimit, where the work queue counts no retries
        ("ExitCode", {"backoffLimit": 0}, (("pytorch", 143),), "job fails"),
        ("OnFailure", {"backoffLimit": 0}, (), "job fails"),
        # An evicted pod; UpdateJobStatus fails a job with Never only.
        ("OnFailure", {}, (), "replaced"),
        ("Never", {}, (("pytorch", 143),), "job fails"),
    ],
)
def test_restart_policies(restart_policy: str, policy: Any, exits: Any, effect: str) -> None:
    assert reaction(policy, restart_policy, PodFailure(exits=exits)).effect == effect


@pytest.mark.parametrize(
    ("policies", "limit", "fatal"),
    [
        # PastBackoffLimit: `result > 0` for 0, else `result >= *runPolicy.BackoffLimit`
        (("OnFailure", "Always"), 0, 1),
        (("OnFailure",), 1, 1),
        (("OnFailure", "Never"), 3, 3),
        (("Always",), None, None),
        (("ExitCode",), 3, None),
        (("Never",), 3, 1),
    ],
)
def test_limits(policies: tuple[str, ...], limit: int | None, fatal: int | None) -> None:
    of_job = retries({"backoffLimit": limit}, policies)
    assert (of_job and of_job.fatal) == fatal
