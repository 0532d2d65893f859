"""What follows a failed pod of an ElasticJob.

IsRetryableExitCode of kubeflow/common at 0b3a4c3fca85, and UpdateJobStatus, which fails a job unless its policy is
ExitCode, of https://github.com/pytorch/elastic/blob/master/kubernetes/controllers/job.go
"""

from __future__ import annotations

import pytest

from trainc.systems.elasticjob.lifecycle import reaction
from trainc.systems.shared.lifecycle import PodFailure


@pytest.mark.parametrize(
    ("restart_policy", "code", "effect"),
    [
        ("ExitCode", 130, "replaced"),
        ("ExitCode", 137, "replaced"),
        ("ExitCode", 138, "replaced"),
        ("ExitCode", 143, "replaced"),
        ("ExitCode", 1, "stays"),
        ("ExitCode", 139, "stays"),
        ("Never", 137, "job fails"),
        ("OnFailure", 137, "job fails"),
    ],
)
def test_restart_policies(restart_policy: str, code: int, effect: str) -> None:
    assert reaction(restart_policy, PodFailure(exits=(("elasticjob-worker", code),))).effect == effect
