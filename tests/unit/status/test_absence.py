"""What the running workers do while others are absent."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.support import build
from tests.unit.status.recordings import status
from trainc import compile
from trainc.plan.plan import plan
from trainc.plan.world import Worker
from trainc.status.absence import Consequence, consequences
from trainc.status.containers import ContainerStatus, Exit
from trainc.status.pod_state import PodState
from trainc.status.workers import WorkerStatus

START = datetime(2026, 11, 22, 11, 0, tzinfo=UTC)


def job(**spec: Any) -> list[Worker]:
    return list(plan(compile(build.job_text({"name": "a"}, **{"workers": 3, **spec})).objects()).workers)


def worker(planned: Worker, runs: bool, exit: Exit | None = None) -> WorkerStatus:
    container = ContainerStatus(
        name="main", state="Running" if runs else "Terminated", reason="", message="", started=START, exit=exit,
        restarts=0, ready=runs, is_init=False, keeps_running=False,
    )  # fmt: skip
    pod = PodState(
        name=planned.pod.hostname, uid="", hostname=planned.pod.hostname, node="n", containers=(container,),
        phase="Running" if runs else "Failed", problem=None, created=START, started=START, since=START, deleting=None,
        manifest={},
    )  # fmt: skip
    return WorkerStatus(name=planned.pod.hostname, planned=planned, pod=pod if runs or exit else None)


def observed(planned: list[Worker], running: set[int], lost_at: datetime | None = None) -> list[Consequence]:
    exit = Exit(code=1, reason="Error", message="", time=lost_at) if lost_at else None
    return consequences([worker(each, index in running, exit) for index, each in enumerate(planned)])


TORCHRUN: dict[str, Any] = {"launch": {"torchrun": {}}}


@pytest.mark.parametrize(
    ("spec", "running", "message", "minutes"),
    [
        # trainc sets read_timeout=300; join_timeout is torchrun's default, 600 s
        (TORCHRUN, {1, 2}, "waiting for a-0", 5),
        (TORCHRUN, {0, 1}, "waiting in the rendezvous", 10),
        (
            {"launch": {"torchrun": {"rendezvous": {"conf": {"join_timeout": 1200}}}}},
            {0, 1},
            "waiting in the rendezvous",
            20,
        ),
        ({"launch": {"torchrun": {"rendezvous": {"backend": "static"}}}}, {0, 1}, "waiting in the rendezvous", 15),
        (
            {"launch": {"torchrun": {"rendezvous": {"backend": "etcd-v2", "endpoint": "e:2379"}}}},
            {1, 2},
            "waiting in the rendezvous",
            10,
        ),
    ],
)
def test_torchrun_waits_until_a_timeout(spec: Any, running: set[int], message: str, minutes: int) -> None:
    (consequence,) = observed(job(**spec), running)
    assert consequence.message == message
    assert consequence.until == START.replace(minute=minutes)
    assert consequence.end == "torchrun exits with 1"


@pytest.mark.parametrize(
    ("spec", "running", "start"),
    [
        (
            {"elastic": {"minReplicas": 1, "maxReplicas": 3}, **TORCHRUN},
            {0, 1},
            "training in a world of 2 nodes, world size 2",
        ),
        (TORCHRUN, {0, 1}, "exiting as they notice the loss"),
        (
            {"launch": {"torchrun": {"maxRestarts": 2}}},
            {0, 1},
            "restarting their processes as they notice the loss, and waiting 10 min for the replacement",
        ),
        (TORCHRUN, {1, 2}, "exiting: a-0 hosts the rendezvous"),
        ({"launch": {"basic": {}}}, {0, 1}, "hanging in their next collective"),
        ({"launch": {"deepspeed": {}}}, {0, 1}, "hanging in their next collective"),
        ({"launch": {"jax": {}}}, {0, 1}, "aborting with exit code 134, at the latest 100 s after the loss"),
        ({"launch": {"jax": {}}}, {1, 2}, "aborting with exit code 134: a-0 has the coordinator"),
    ],
)
def test_a_worker_is_lost(spec: Any, running: set[int], start: str) -> None:
    (consequence,) = observed(job(**spec), running, lost_at=START.replace(minute=30))
    assert consequence.message.startswith(start)


@pytest.mark.parametrize("launch", ["basic", "deepspeed"])
def test_programs_wait_in_init_process_group_before_the_first_world(launch: str) -> None:
    (consequence,) = observed(job(launch={launch: {}}), {0})
    assert consequence.message.startswith("waiting in init_process_group")


def test_programs_of_jax_wait_for_the_first_world_until_the_default_timeout() -> None:
    (consequence,) = observed(job(launch={"jax": {}}), {0})
    assert consequence.message == "waiting in jax.distributed.initialize"
    assert consequence.until == START.replace(
        minute=5
    )  # initialization_timeout of 300 s: tests/unit/launchers/jax.json


@pytest.mark.parametrize("running", [set(), {0, 1, 2}])
def test_nobody_waits_if_all_or_none_run(running: set[int]) -> None:
    assert observed(job(**TORCHRUN), running) == []


def test_workers_of_a_finished_job_do_nothing() -> None:
    assert status("rule").consequences == ()


def test_independent_programs_do_not_wait() -> None:
    assert observed(job(workers=1, launch={"basic": {}}), set()) == []
