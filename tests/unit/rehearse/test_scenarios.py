"""Each scenario: what it does to the pods, what it takes for right, and for which jobs it says that it doesn't fit.

The stage is written down; tests/rehearsal has the same scenarios with real launchers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.fake_session import FakeSession, Happens, Then, event, line, world
from tests.unit.plan.manifests import objects
from tests.unit.rehearse.test_compare import FOUR, MASTER, wrong
from trainc.plan.plan import plan
from trainc.rehearse.expectations import expect
from trainc.rehearse.rehearse import Options, _not_known, rehearse
from trainc.rehearse.scenarios.registry import NAMES, scenario
from trainc.rehearse.verdict import Verdict

ELASTIC, FIXED = "torchrun-elastic/job", "torchrun-static/job"
THREE = {f"elastic-{index}": [index] for index in range(3)}


def whole(token: int, after: float = 5.0) -> list[Happens]:
    return world(FOUR, token, after, master=MASTER)


def smaller(token: int, after: float = 20.0) -> list[Happens]:
    return world(THREE, token, after, master=MASTER)


def then(**of: list[Happens]) -> dict[str, Then]:
    def follows(happens: list[Happens]) -> Then:
        return lambda _: happens

    return {action: follows(happens) for action, happens in of.items()}


def acted(name: str, happens: dict[str, Then], job: str = ELASTIC, change: Any = None) -> tuple[Verdict, FakeSession]:
    """The verdict, and the stage with what was done to it."""
    stages: list[FakeSession] = []
    given = objects(job)
    if change:
        change(given)

    def made(found: list[dict[str, Any]], **options: Any) -> FakeSession:
        stages.append(FakeSession(found, happens, **options))
        return stages[0]

    return rehearse("job", given, scenario(name), Options(quiet=20), stage=made), stages[0]


def test_at_min_all_but_the_fewest_are_held_back_and_train() -> None:
    verdict, stage = acted("start-at-min", then(start=world({"elastic-0": [0]}, master=MASTER, after=40)))
    assert verdict.outcome == "passed"
    assert stage.did == [("start", dict.fromkeys((1, 2, 3), math.inf), {})]


def test_one_that_joins_must_be_taken_in() -> None:
    start = smaller(1)
    verdict, stage = acted("join", then(start=start, arrive=whole(2)))
    assert (verdict.outcome, stage.did[1]) == ("passed", ("arrive", 3))
    verdict, _ = acted("join", then(start=start))
    assert [one.expectation for one in wrong(verdict)] == ["4 ranks meet again on 4 pods, each once"]


def test_a_killed_process_of_torchrun_with_restarts_left_keeps_its_pod() -> None:
    verdict, stage = acted("kill-process", then(start=whole(1), kill_process=whole(2)))
    assert (verdict.outcome, stage.did[1]) == ("passed", ("kill_process", "elastic-3", 3))
    exits = event("container-exited", "elastic-3", 2.0, exit_code=1)
    verdict, _ = acted("kill-process", then(start=whole(1), kill_process=[exits, *whole(2)]))
    assert [one.expectation for one in wrong(verdict)] == ["torchrun starts the processes again, in the same pods"]


def test_without_restarts_the_jobs_own_policies_decide() -> None:
    ranks = {f"static-{index}": [2 * index, 2 * index + 1] for index in range(2)}
    planned = plan(objects(FIXED))
    ranks = {one.pod.hostname: list(range(one.ranks[0], one.ranks[1] + 1)) for one in planned.workers if one.ranks}
    master: dict[str, Any] = {
        "master": planned.workers[0].launch.rendezvous_host,
        "port": str(planned.workers[0].launch.port),
    }
    last = planned.workers[-1].pod.hostname
    exits = event("container-exited", last, 2.0, exit_code=1)
    start = world(ranks, **master)
    verdict, _ = acted("kill-process", then(start=start, kill_process=[exits, *world(ranks, 2, **master)]), FIXED)
    assert wrong(verdict) == []
    verdict, _ = acted("kill-process", then(start=start, kill_process=[exits]), FIXED)
    assert len(wrong(verdict)) == 1

    def no_retries(found: list[dict[str, Any]]) -> None:
        next(one for one in found if one["kind"] == "Job")["spec"]["backoffLimitPerIndex"] = 0

    failed = event("job-failed", after=3.0, reason="FailedIndexes")
    verdict, _ = acted("kill-process", then(start=start, kill_process=[exits, failed]), FIXED, no_retries)
    assert wrong(verdict) == []
    assert verdict.checks[-1].expectation == "the job fails: it isn't tried again after exit code 1"


def test_an_exit_code_that_fails_the_job_is_read_from_its_failure_policy() -> None:
    def fail_at_1(found: list[dict[str, Any]]) -> None:
        rule = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1]}}
        next(one for one in found if one["kind"] == "Job")["spec"]["podFailurePolicy"]["rules"].append(rule)
        for one in found:
            for container in one["spec"].get("template", {}).get("spec", {}).get("containers", ()):
                container["env"] = [each for each in container["env"] if each["name"] != "PET_MAX_RESTARTS"]

    exits = event("container-exited", "elastic-3", 2.0, exit_code=1)
    happens = then(start=whole(1), kill_process=[exits, event("job-failed", after=3.0)])
    verdict, _ = acted("kill-process", happens, change=fail_at_1)
    assert wrong(verdict) == []


def test_a_lost_pod_of_an_elastic_job_may_leave_a_smaller_world_and_must_come_back() -> None:
    back = [*smaller(2, after=10), *whole(3, after=25)]
    verdict, stage = acted("lose-pod", then(start=whole(1), kill_pod=back))
    assert (verdict.outcome, stage.did[1]) == ("passed", ("kill_pod", 3, 0))
    assert verdict.notes == ("until it was back, a world of 3 trained from 15.0 s on",) or len(verdict.notes) == 1
    verdict, _ = acted("lose-pod", then(start=whole(1), kill_pod=smaller(2)))
    assert verdict.outcome == "failed"


def test_of_a_c10d_job_all_others_must_end_when_worker_0_is_lost() -> None:
    exits = [event("container-exited", f"elastic-{index}", 3.0, exit_code=1) for index in (1, 2, 3)]
    verdict, stage = acted("lose-pod-0", then(start=whole(1), kill_pod=[*exits, *whole(2, after=30)]))
    assert (verdict.outcome, stage.did[1]) == ("passed", ("kill_pod", 0, 0))
    verdict, _ = acted("lose-pod-0", then(start=whole(1), kill_pod=whole(2, after=30)))
    assert [one.expectation for one in wrong(verdict)] == ["all others end: they can't go on without it"]


def test_a_silent_loss_must_be_noticed() -> None:
    happens = then(start=whole(1), cut=smaller(2, after=60), mend=whole(3, after=40))
    verdict, stage = acted("network-partition", happens)
    assert verdict.outcome == "passed"
    assert [one[0] for one in stage.did] == ["start", "cut", "mend"]
    assert acted("network-partition", then(start=whole(1)))[0].outcome == "failed"


def test_a_late_name_and_a_late_pod_are_waited_for() -> None:
    asked = event("dns", "elastic-1", 3.0, name="elastic-0.default.svc.cluster.local", answer=None)
    verdict, stage = acted("slow-dns", then(start=[asked, *whole(1, after=25)]))
    assert (verdict.outcome, stage.did) == ("passed", [("start", {}, {0: 20.0})])
    started = event("container-started", "elastic-0", 20.5)
    verdict, stage = acted("slow-pod", then(start=[started, *whole(1, after=30)]))
    assert (verdict.outcome, stage.did) == ("passed", [("start", {0: 20.0}, {})])


def test_scaling_is_followed_down_and_up() -> None:
    worlds = {1: smaller(2), 2: whole(3)}
    scaled: list[int] = []

    def scale(_: FakeSession) -> list[Happens]:
        scaled.append(1)
        return worlds[len(scaled)]

    verdict, stage = acted("scale", {**then(start=whole(1)), "scale": scale})
    assert (verdict.outcome, stage.did[1:]) == ("passed", [("scale", 3), ("scale", 4)])


def stops(saves: bool) -> Callable[[FakeSession], list[Happens]]:
    def stop(stage: FakeSession) -> list[Happens]:
        found: list[Happens] = [event("pod-deleted", name, 29.0) for name in stage.states]
        for rank in range(4):
            pod = f"elastic-{rank}"
            found.append((0.5, line(pod, "told", rank)))
            found.append((10.0, line(pod, "saving", rank, seconds=9.5)))
            if saves or rank != 2:
                found.append((24.6, line(pod, "saved", rank, seconds=24.0)))
        return found

    return stop


def test_a_checkpoint_that_is_cut_off_is_told_with_the_time_that_it_had() -> None:
    assert acted("delete", {**then(start=whole(1)), "stop": stops(True)})[0].outcome == "passed"
    verdict, _ = acted("delete", {**then(start=whole(1)), "stop": stops(False)})
    (check,) = wrong(verdict)
    assert check.expectation == "a checkpoint of 24 s is written whole, with a grace period of 30 s"
    assert check.evidence[0].endswith("rank 2 on elastic-2: SIGTERM, and was killed after 10 s")


def test_a_job_must_be_complete_when_its_programs_are_done() -> None:
    done = [event("container-exited", "elastic-0", 18.0, exit_code=0), event("job-complete", after=19.0)]
    verdict, _ = acted("finish", then(start=[*whole(1), *done]))
    assert wrong(verdict) == []
    verdict, _ = acted("finish", then(start=[*whole(1), event("job-failed", after=19.0)]))
    assert [one.expectation for one in wrong(verdict)] == ["the Job is complete when worker 0 is done"]


# What each says of a fixed job of several pods, and of a job of one pod; empty where it fits.
FITS = {
    "form": (True, True),
    "start-at-min": (False, False),
    "join": (False, False),
    "kill-process": (True, True),
    "lose-pod": (True, False),
    "lose-pod-0": (True, False),
    "network-partition": (True, False),
    "slow-dns": (True, False),
    "slow-pod": (True, False),
    "scale": (False, False),
    "delete": (True, True),
    "finish": (True, True),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_scenario_that_does_not_fit_says_why(name: str) -> None:
    for job, fits in zip((FIXED, "torchrun-single/job"), FITS[name], strict=True):
        given = objects(job)
        why = scenario(name).skip_reason(expect(plan(given), given))
        assert (why == "") is fits, (job, why)


def test_an_elastic_set_that_starts_with_one_pod_has_nobody_to_notice_a_loss() -> None:
    given = objects("torchrun-elastic/statefulset")
    (size,) = [one["spec"]["minReplicas"] for one in given if one["kind"] == "HorizontalPodAutoscaler"]
    assert size == 1
    job = expect(plan(given), given)
    whys = {name: scenario(name).skip_reason(job) for name in NAMES}
    of_others = {"lose-pod", "lose-pod-0", "network-partition", "slow-dns", "slow-pod"}
    assert {whys[name] for name in of_others} == {"it starts with one pod: there is nobody whom it would touch"}
    assert {name for name, why in whys.items() if not why} == {"form", "kill-process", "scale", "delete", "finish"}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("paused", "the job is paused: nothing starts before it is resumed"),
        (
            "deepspeed-autotune",
            "DeepSpeed's autotuner runs the program many times, by what it measures on GPUs: it forms no one world",
        ),
        (
            "real-pytorchjob-mlbatch",
            "its shell writes the program that it starts, so the probe can't take its place",
        ),
        ("debug", "its pods start no launcher: they wait with /usr/sbin/sshd -D for whoever debugs in them"),
    ],
)
def test_a_job_that_forms_no_world_is_not_run(name: str, why: str) -> None:
    found = rehearse(name, objects(f"{name}/job"), scenario("form"), Options())
    assert (found.outcome, found.reason) == ("skipped", why)


def test_a_deepspeedjob_of_several_pods_is_not_run_for_want_of_its_operators_keys() -> None:
    found = rehearse("deepspeed", objects("deepspeed/deepspeedjob"), scenario("form"), Options())
    assert found.outcome == "skipped"
    assert found.reason.startswith("nobody but T9k's operator has the keys")


def test_a_job_that_meets_at_an_etcd_of_others_is_not_run() -> None:
    found = rehearse("etcd", objects("torchrun-etcd/job"), scenario("form"), Options())
    assert found.outcome == "skipped"
    assert found.reason == "the etcd at etcd.research, which keeps its rendezvous, is none of its own"
    given = objects("torchrun-etcd-managed/job")
    assert _not_known(given) == ""
