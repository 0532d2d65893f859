"""What follows a failed Job of a JobSet: FailurePolicyAction of
https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/api/jobset/v1alpha2/jobset_types.go
"""

from __future__ import annotations

from typing import Any

import pytest

from trainc.systems.jobset import lifecycle
from trainc.systems.shared.lifecycle import Reaction


def reaction(policy: Any, restarts: int, replicated: str = "worker", reason: str = "BackoffLimitExceeded") -> Reaction:
    return lifecycle.reaction({"failurePolicy": policy}, replicated, reason, "", restarts)


@pytest.mark.parametrize(
    ("action", "first", "last"),
    [
        # "Fail the JobSet immediately."
        ("FailJobSet", ("job fails", True), ("job fails", True)),
        # "recreate all Jobs … if restartsCountTowardsMax … < maxRestarts. Otherwise, fail the JobSet."
        ("RestartJobSet", ("job restarts", True), ("job fails", True)),
        # "does not check maxRestarts"
        ("RestartJobSetAndIgnoreMaxRestarts", ("job restarts", False), ("job restarts", False)),
        # "recreate only the failed Job without touching the other Jobs"
        ("RestartJob", ("group restarts", True), ("job fails", True)),
        ("RestartJobAndIgnoreMaxRestarts", ("group restarts", False), ("group restarts", False)),
    ],
)
def test_actions_with_and_without_restarts_left(action: str, first: tuple[str, bool], last: tuple[str, bool]) -> None:
    policy = {"maxRestarts": 2, "rules": [{"action": action}]}
    assert [(each.effect, each.counts) for each in (reaction(policy, 1), reaction(policy, 2))] == [first, last]


@pytest.mark.parametrize(
    ("rule", "replicated", "reason", "effect"),
    [
        ({}, "worker", "BackoffLimitExceeded", "job fails"),
        ({"targetReplicatedJobs": ["worker"]}, "worker", "BackoffLimitExceeded", "job fails"),
        # ruleIsApplicable compares the label replicatedjob-name; the default is RestartJobSet.
        ({"targetReplicatedJobs": ["worker"]}, "leader", "BackoffLimitExceeded", "job restarts"),
        ({"onJobFailureReasons": ["PodFailurePolicy"]}, "worker", "BackoffLimitExceeded", "job restarts"),
        ({"onJobFailureReasons": ["PodFailurePolicy"]}, "worker", "PodFailurePolicy", "job fails"),
    ],
)
def test_rules_apply_to_their_jobs_and_reasons(rule: Any, replicated: str, reason: str, effect: str) -> None:
    policy = {"maxRestarts": 2, "rules": [{"action": "FailJobSet", **rule}]}
    assert reaction(policy, 0, replicated, reason).effect == effect


def test_a_jobset_without_a_policy_fails() -> None:
    """executeFailurePolicy: "If no failure policy is defined, mark the JobSet as failed." maxRestarts defaults to 0."""
    assert lifecycle.reaction({}, "worker", "BackoffLimitExceeded").effect == "job fails"
    assert lifecycle.retries({}) is None
    assert reaction({"rules": []}, 0).effect == "job fails"
