"""The Job of Volcano that an expert would write: a gang that starts at the minimum and restarts as the job can bear."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import compile_objects
from trainc.target import Target

Object = dict[str, Any]
TORCHRUN: dict[str, Any] = {"launch": {"torchrun": {}}, "workers": 2}
ELASTIC: dict[str, Any] = {"launch": {"torchrun": {}}, "elastic": {"minReplicas": 2, "maxReplicas": 4}}


def compile_job(**spec: Any) -> Object:
    resource: Object = compile_objects("vcjob", target=Target(backend="vcjob"), **spec)[-1]["spec"]
    return resource


def test_the_service_resolves_pods_that_are_not_ready_and_other_pods_may_connect() -> None:
    plugins = {"env": [], "svc": ["--publish-not-ready-addresses=true", "--disable-network-policy=true"]}
    assert compile_job(**TORCHRUN)["plugins"] == plugins
    assert compile_job(launch={"torchrun": {}})["plugins"] == {"env": []}


def test_workers_of_fixed_size_restart_together() -> None:
    """restartingState fails the Job at the restart whose number is maxRetry."""
    spec = compile_job(**TORCHRUN, lifecycle={"backoffLimit": 3})
    assert (spec["minAvailable"], spec["maxRetry"], "minSuccess" in spec) == (2, 4, False)
    assert spec["policies"] == [{"events": ["PodFailed", "PodEvicted"], "action": "RestartJob"}]
    assert spec["tasks"][0]["template"]["spec"]["restartPolicy"] == "Never"


def test_an_elastic_gang_starts_at_the_minimum_and_replaces_single_pods() -> None:
    spec = compile_job(**ELASTIC)
    (task,) = spec["tasks"]
    assert (spec["minAvailable"], task["minAvailable"], task["replicas"]) == (2, 2, 4)
    assert (spec["minSuccess"], spec["policies"][0]["action"]) == (1, "RestartPod")
    assert compile_job(**ELASTIC, workers=3)["tasks"][0]["replicas"] == 3


def test_restarts_in_place_are_limited_by_the_task() -> None:
    """TaskFailed is the event of a task whose containers restarted maxRetry times."""
    spec = compile_job(workers=2, lifecycle={"restartPolicy": "OnFailure", "backoffLimit": 4})
    assert spec["tasks"][0]["maxRetry"] == 4
    assert spec["policies"][-1] == {"event": "TaskFailed", "action": "TerminateJob"}


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ({"fatal": [3]}, [(3, "TerminateJob"), (None, "RestartJob")]),
        ({"retryable": [42]}, [(42, "RestartJob"), (None, "RestartJob"), (None, "TerminateJob")]),
    ],
)
def test_policies_about_exit_codes_precede_that_about_all_failures(codes: Object, expected: list[Any]) -> None:
    policies = compile_job(workers=2, lifecycle={"exitCodes": codes})["policies"]
    assert [(policy.get("exitCode"), policy["action"]) for policy in policies] == expected


def test_queue_priority_and_scheduler_are_those_of_the_group() -> None:
    scheduling = {"gang": {"volcano": {"queue": "research"}}, "priorityClassName": "high", "schedulerName": "own"}
    spec = compile_job(**TORCHRUN, scheduling=scheduling)
    assert (spec["queue"], spec["priorityClassName"], spec["schedulerName"]) == ("research", "high", "own")
    assert {"priorityClassName", "schedulerName"}.isdisjoint(spec["tasks"][0]["template"]["spec"])


def test_the_largest_limit_fits_the_field() -> None:
    assert compile_job(lifecycle={"backoffLimit": 2**31 - 1})["maxRetry"] == 2**31 - 1
