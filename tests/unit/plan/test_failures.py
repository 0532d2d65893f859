"""What follows a failure, against what golden manifests say."""

from __future__ import annotations

import pytest

from tests.unit.plan.manifests import objects, only, planned
from trainc.plan.duration import duration
from trainc.plan.plan import Plan, plan


def cases(found: Plan) -> dict[str, str]:
    return {one.trigger: one.effect for one in found.failure_cases}


def test_a_job_replaces_pods_up_to_its_limit_for_each_worker() -> None:
    """backoffLimitPerIndex 6, maxFailedIndexes 0, DisruptionTarget ignored."""
    found = cases(planned("torchrun/job"))
    assert found["a worker fails"] == "its pod is replaced, up to 6 times per worker; then the Job fails"
    drained = "node drain, preemption or eviction"
    assert found[drained] == "the pod is replaced; the failure does not count against the backoff limit"
    assert found["all workers have succeeded"] == "the Job is complete"


def test_a_job_without_retries_fails_at_once() -> None:
    """backoffLimit 0."""
    assert cases(planned("basic-processes/job"))["a worker fails"] == "the Job fails"


def test_exit_codes_that_end_a_job_are_named() -> None:
    found = cases(planned("exit-codes/job"))
    assert found["a container exits with 2, 126, 127"] == "the Job fails immediately, and its other pods are terminated"


def test_without_a_rule_for_disruptions_they_count() -> None:
    found = objects("torchrun/job")
    del only(found, "Job")["spec"]["podFailurePolicy"]
    then = cases(plan(found))["node drain, preemption or eviction"]
    assert then == "the pod is replaced; the failure counts against the backoff limit"


def test_a_success_policy_ends_the_others() -> None:
    found = cases(planned("torchrun-elastic/job"))
    assert found["worker 0 has succeeded"] == "the Job is complete, and its other pods are terminated"


def test_deadline_and_time_to_live_are_said_in_hours_and_days() -> None:
    """activeDeadlineSeconds 86400, ttlSecondsAfterFinished 604800."""
    found = cases(planned("lifecycle/job"))
    assert found["the job has run for 1 d"] == "the Job fails, and its pods are terminated"
    assert found["7 d after the job has finished"] == "the Job, its pods and their logs are deleted"


def test_a_set_that_nothing_scales_down_never_ends() -> None:
    assert "the program has succeeded" in cases(planned("spot/statefulset"))


def test_a_set_that_worker_0_scales_down_ends() -> None:
    found = cases(planned("autoscaled/statefulset"))
    assert (
        found["worker 0 has succeeded"]
        == "the autoscaler is deleted, and the StatefulSet is scaled to 0: its pods are deleted"
    )


def test_bare_pods_are_not_made_again() -> None:
    found = cases(planned("torchrun/pods"))
    assert found["node drain, preemption or eviction"] == "the Pod is deleted and not replaced"
    assert found["a worker has succeeded"] == "its Pod is completed and remains until it is deleted"  # OnFailure


def test_a_gang_waits_for_room_for_all() -> None:
    assert cases(planned("gang/job"))["fewer than 8 pods can be scheduled"] == "no pod starts: they are gang-scheduled"


def test_a_queue_is_named() -> None:
    assert any("Kueue" in one.effect for one in planned("queue/job").failure_cases)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (90, "90 s"), (120, "2 min"), (3661, "1 h 1 min"), (604800, "7 d"), (90061, "1 d 1 h")],
)
def test_seconds_are_said_in_two_units(seconds: int, text: str) -> None:
    assert duration(seconds) == text
