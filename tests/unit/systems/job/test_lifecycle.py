"""What follows a failed pod of a Job: values of the documentation and of Kubernetes' own tests.

https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/controller/job: job_controller_test.go,
pod_failure_policy_test.go
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from trainc.plan.pods import create_pods
from trainc.rehearse.pod import ContainerStatus, Pod
from trainc.systems.job import lifecycle
from trainc.systems.job.rehearsal import Job
from trainc.systems.shared.lifecycle import PodFailure, Reaction

DISRUPTED = PodFailure(exits=(("main", 137),), conditions=(("Ready", "False"), ("DisruptionTarget", "True")))


def job(*rules: Any, restart_policy: str = "Never", **spec: Any) -> dict[str, Any]:
    policy = {"podFailurePolicy": {"rules": list(rules)}} if rules else {}
    return {"spec": {"template": {"spec": {"restartPolicy": restart_policy}}, **policy, **spec}}


def failure(code: int, container: str = "main") -> PodFailure:
    return PodFailure(exits=((container, code), ("sidecar", 0)))


def codes(action: str, operator: str, *values: int, **more: str) -> dict[str, Any]:
    return {"action": action, "onExitCodes": {"operator": operator, "values": list(values), **more}}


def conditions(action: str, **more: str) -> dict[str, Any]:
    return {"action": action, "onPodConditions": [{"type": "DisruptionTarget", **more}]}


# The example of https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-failure-policy
FAIL_42, IGNORE = codes("FailJob", "In", 42, containerName="main"), conditions("Ignore")


@pytest.mark.parametrize(
    ("rules", "failed", "index", "reaction"),
    [
        ((FAIL_42, IGNORE), failure(42), 0, Reaction(effect="job fails")),
        ((FAIL_42, IGNORE), DISRUPTED, 1, Reaction(effect="replaced", counts=False)),
        ((FAIL_42, IGNORE), failure(1), None, Reaction(effect="replaced")),
        ((FAIL_42,), failure(42, "other"), None, Reaction(effect="replaced")),
        # A container that exits with 0 matches no rule: isOnExitCodesOperatorMatching is not asked.
        ((codes("FailJob", "NotIn", 1),), failure(1), None, Reaction(effect="replaced")),
        ((codes("FailJob", "NotIn", 1),), failure(2), 0, Reaction(effect="job fails")),
        # The first rule that matches decides.
        ((codes("Ignore", "In", 42), FAIL_42), failure(42), 0, Reaction(effect="replaced", counts=False)),
        ((codes("Count", "In", 42), FAIL_42), failure(42), 0, Reaction(effect="replaced")),
        ((codes("FailIndex", "In", 42),), failure(42), 0, Reaction(effect="worker fails")),
        # The status of the condition defaults to True.
        ((conditions("FailJob", status="False"),), DISRUPTED, None, Reaction(effect="replaced")),
    ],
)
def test_the_first_matching_rule_decides(rules: Any, failed: PodFailure, index: int | None, reaction: Reaction) -> None:
    resource = job(*rules)
    match = lifecycle.matching_rule(resource, failed)
    assert (match[0] if match else None) == index
    assert lifecycle.reaction(resource, failed) == reaction


@pytest.mark.parametrize(
    ("limit", "restarts", "fails"), [(0, 0, False), (1, 0, False), (1, 1, True), (2, 2, True), (3, 2, False)]
)
def test_container_restarts_reach_the_limit(limit: int, restarts: int, fails: bool) -> None:
    """TestJobBackoffForOnFailure"""
    retries = lifecycle.retries(job(restart_policy="OnFailure", backoffLimit=limit))
    assert (retries.counted, restarts >= retries.fatal) == ("container restarts", fails)


@pytest.mark.parametrize(("restarts", "reason"), [(1, ""), (2, "BackoffLimitExceeded")])
def test_a_rehearsal_ends_at_the_limit(restarts: int, reason: str) -> None:
    """TestJobBackoffForOnFailure"""
    manifest = {"kind": "Job", "apiVersion": "batch/v1", "metadata": {"name": "mnist"}}
    manifest |= job(restart_policy="OnFailure", backoffLimit=2)
    cluster: Any = SimpleNamespace(now=0.0, report=lambda *_, **__: None, delete=lambda *_: None)
    controller, (definition,) = Job(manifest, [], cluster), create_pods([manifest])
    controller.pods = [Pod(definition, 1, server=False)]
    controller.pods[0].statuses = [ContainerStatus({})]
    controller.pods[0].statuses[0].restarts = restarts
    controller.reconcile()
    assert controller.reason == reason


@pytest.mark.parametrize(
    ("limit", "failed", "fails"), [(0, 0, False), (1, 1, False), (1, 2, True), (None, 6, False), (None, 7, True)]
)
def test_failed_pods_exceed_the_limit(limit: int | None, failed: int, fails: bool) -> None:
    """TestJobBackoffOnRestartPolicyNever; the default of the API reference is 6."""
    retries = lifecycle.retries(job(backoffLimit=limit))
    assert (retries.counted, failed >= retries.fatal) == ("failed pods", fails)


def test_limits_per_index_and_of_all_pods() -> None:
    """https://kubernetes.io/docs/concepts/workloads/controllers/job/#backoff-limit-per-index: with it backoffLimit
    has no default."""
    assert [each.per_worker for each in lifecycle.limits(job(backoffLimitPerIndex=1))] == [True]
    both = list(lifecycle.limits(job(backoffLimitPerIndex=1, backoffLimit=9)))
    assert [(each.fatal, each.per_worker) for each in both] == [(2, True), (10, False)]


@pytest.mark.parametrize(
    ("resource", "failed", "effect"),
    [
        (job(backoffLimit=0), failure(1), "job fails"),
        (job(backoffLimit=1), failure(1), "replaced"),
        (job(backoffLimitPerIndex=0), failure(1), "worker fails"),
        (job(codes("FailJob", "In", 42), backoffLimitPerIndex=0), failure(42), "job fails"),
        # "the counter towards the .spec.backoffLimit is not incremented and a replacement Pod is created"
        (job(codes("Ignore", "In", 42), backoffLimit=0), failure(42), "replaced"),
        (job(restart_policy="OnFailure", backoffLimit=1), failure(1), "job fails"),
        (job(restart_policy="OnFailure", backoffLimit=2), failure(1), "restarted"),
    ],
)
def test_the_first_failure(resource: Any, failed: PodFailure, effect: str) -> None:
    assert Job.first_failure(resource, resource["spec"]["template"]["spec"]["restartPolicy"], failed) == effect


def test_the_delay_of_a_replacement() -> None:
    """https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy: 10 s, 20 s, 40 s …"""
    assert [lifecycle.backoff(failures) for failures in (1, 2, 3, 7, 99)] == [10, 20, 40, 600, 600]
