"""Each scenario: its actions on the pods, its expectations, and the jobs that it skips.

The session is fake; tests/rehearsal runs the same scenarios with real launchers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.fake_session import FakeSession, Reaction, ScheduledEvent, pod_event, probe_line, world_events
from tests.unit.plan.manifests import objects, only
from tests.unit.rehearse.test_compare import FOUR, MASTER, failed_checks
from trainc.plan.models import native_objects
from trainc.plan.plan import plan
from trainc.rehearse.config_contents import resolve_contents
from trainc.rehearse.downscale import downscale
from trainc.rehearse.expectations import Expectations
from trainc.rehearse.options import Options
from trainc.rehearse.rehearse import _missing_parts, rehearse
from trainc.rehearse.scenarios.registry import SCENARIOS
from trainc.rehearse.verdict import Verdict

ELASTIC, FIXED = "torchrun-elastic/job", "torchrun-static/job"
THREE = {f"elastic-{index}": [index] for index in range(3)}


def full_world(token: int, after: float = 5.0) -> list[ScheduledEvent]:
    return world_events(FOUR, token, after, master=MASTER)


def smaller_world(token: int, after: float = 20.0) -> list[ScheduledEvent]:
    return world_events(THREE, token, after, master=MASTER)


def reactions(**events: list[ScheduledEvent]) -> dict[str, Reaction]:
    """Return the events after each action."""

    def reaction(action_events: list[ScheduledEvent]) -> Reaction:
        return lambda _: action_events

    return {action: reaction(action_events) for action, action_events in events.items()}


def run_scenario(
    name: str, session_reactions: dict[str, Reaction], job: str = ELASTIC, change: Any = None
) -> tuple[Verdict, FakeSession]:
    """Return the verdict and the session with its recorded actions."""
    sessions: list[FakeSession] = []
    manifests = objects(job)
    if change:
        change(manifests)

    def open_session(objects: list[dict[str, Any]], **options: Any) -> FakeSession:
        sessions.append(FakeSession(objects, session_reactions, **options))
        return sessions[0]

    return rehearse("job", manifests, SCENARIOS[name], Options(patience=20), session_type=open_session), sessions[0]


def test_start_at_min_schedules_only_the_minimum() -> None:
    verdict, session = run_scenario(
        "start-at-min", reactions(start=world_events({"elastic-0": [0]}, master=MASTER, after=40))
    )
    assert verdict.outcome == "passed"
    assert session.actions == [("start", dict.fromkeys((1, 2, 3), math.inf), {})]


def test_join_requires_a_larger_world() -> None:
    start = smaller_world(1)
    verdict, session = run_scenario("join", reactions(start=start, schedule=full_world(2)))
    assert (verdict.outcome, session.actions[1]) == ("passed", ("schedule", 3))
    verdict, _ = run_scenario("join", reactions(start=start))
    assert [check.expectation for check in failed_checks(verdict)] == ["4 pods form a world of 4 ranks again"]


def test_torchrun_restarts_a_killed_process_in_the_same_pod() -> None:
    verdict, session = run_scenario("kill-process", reactions(start=full_world(1), kill_process=full_world(2)))
    assert (verdict.outcome, session.actions[1]) == ("passed", ("kill_process", "elastic-3", 3))
    exits = pod_event("container-exited", "elastic-3", 2.0, exit_code=1)
    verdict, _ = run_scenario("kill-process", reactions(start=full_world(1), kill_process=[exits, *full_world(2)]))
    assert [check.expectation for check in failed_checks(verdict)] == [
        "the launcher restarts the processes in the same pods"
    ]


def test_killed_processes_without_restarts_follow_the_jobs_policies() -> None:
    planned = plan(objects(FIXED))
    ranks = {
        worker.pod.hostname: list(range(worker.ranks[0], worker.ranks[1] + 1))
        for worker in planned.workers
        if worker.ranks
    }
    master: dict[str, Any] = {
        "master": planned.workers[0].launch.rendezvous_host,
        "port": str(planned.workers[0].launch.port),
    }
    last = planned.workers[-1].pod.hostname
    exits = pod_event("container-exited", last, 2.0, exit_code=1)
    start = world_events(ranks, **master)
    verdict, _ = run_scenario(
        "kill-process", reactions(start=start, kill_process=[exits, *world_events(ranks, 2, **master)]), FIXED
    )
    assert failed_checks(verdict) == []
    verdict, _ = run_scenario("kill-process", reactions(start=start, kill_process=[exits]), FIXED)
    assert len(failed_checks(verdict)) == 1

    def no_retries(manifests: list[dict[str, Any]]) -> None:
        only(manifests, "Job")["spec"]["backoffLimitPerIndex"] = 0

    failed = pod_event("job-failed", after=3.0, reason="FailedIndexes")
    verdict, _ = run_scenario("kill-process", reactions(start=start, kill_process=[exits, failed]), FIXED, no_retries)
    assert failed_checks(verdict) == []
    assert verdict.checks[-1].expectation == "the job fails: exit code 1 is not retried"


def test_a_failure_policy_may_fail_the_job() -> None:
    def fail_at_1(manifests: list[dict[str, Any]]) -> None:
        rule = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1]}}
        only(manifests, "Job")["spec"]["podFailurePolicy"]["rules"].append(rule)
        for manifest in manifests:
            for container in manifest["spec"].get("template", {}).get("spec", {}).get("containers", ()):
                container["env"] = [entry for entry in container["env"] if entry["name"] != "PET_MAX_RESTARTS"]

    exits = pod_event("container-exited", "elastic-3", 2.0, exit_code=1)
    session_reactions = reactions(start=full_world(1), kill_process=[exits, pod_event("job-failed", after=3.0)])
    verdict, _ = run_scenario("kill-process", session_reactions, change=fail_at_1)
    assert failed_checks(verdict) == []


def test_a_lost_pod_of_an_elastic_job_must_be_replaced() -> None:
    events = [*smaller_world(2, after=10), *full_world(3, after=25)]
    verdict, session = run_scenario("lose-pod", reactions(start=full_world(1), kill_pod=events))
    assert (verdict.outcome, session.actions[1]) == ("passed", ("kill_pod", 3, 0))
    # The world of 5 s is stable 3 s later; then the pod is killed, and the smaller world forms 10 s after that.
    assert verdict.notes == ("a world of 3 ranks trained from 18.0 s on, until the pod was replaced",)
    verdict, _ = run_scenario("lose-pod", reactions(start=full_world(1), kill_pod=smaller_world(2)))
    assert verdict.outcome == "failed"


def test_with_c10d_all_other_launchers_must_exit_with_worker_0() -> None:
    exits = [pod_event("container-exited", f"elastic-{index}", 3.0, exit_code=1) for index in (1, 2, 3)]
    verdict, session = run_scenario(
        "lose-pod-0", reactions(start=full_world(1), kill_pod=[*exits, *full_world(2, after=30)])
    )
    assert (verdict.outcome, session.actions[1]) == ("passed", ("kill_pod", 0, 0))
    verdict, _ = run_scenario("lose-pod-0", reactions(start=full_world(1), kill_pod=full_world(2, after=30)))
    assert [check.expectation for check in failed_checks(verdict)] == ["all other launchers exit"]


def test_a_network_partition_must_be_detected() -> None:
    session_reactions = reactions(
        start=full_world(1), disconnect=smaller_world(2, after=60), reconnect=full_world(3, after=40)
    )
    verdict, session = run_scenario("network-partition", session_reactions)
    assert verdict.outcome == "passed"
    assert [action[0] for action in session.actions] == ["start", "disconnect", "reconnect"]
    assert run_scenario("network-partition", reactions(start=full_world(1)))[0].outcome == "failed"


def test_slow_dns_and_slow_pod_delay_worker_0() -> None:
    query = pod_event("dns", "elastic-1", 3.0, name="elastic-0.default.svc.cluster.local", answer=None)
    verdict, session = run_scenario("slow-dns", reactions(start=[query, *full_world(1, after=25)]))
    assert (verdict.outcome, session.actions) == ("passed", [("start", {}, {0: 20.0})])
    started = pod_event("container-started", "elastic-0", 20.5)
    verdict, session = run_scenario("slow-pod", reactions(start=[started, *full_world(1, after=30)]))
    assert (verdict.outcome, session.actions) == ("passed", [("start", {0: 20.0}, {})])


def test_scale_goes_down_and_up() -> None:
    worlds = {1: smaller_world(2), 2: full_world(3)}
    calls: list[int] = []

    def scale(_: FakeSession) -> list[ScheduledEvent]:
        calls.append(1)
        return worlds[len(calls)]

    verdict, session = run_scenario("scale", {**reactions(start=full_world(1)), "scale": scale})
    assert (verdict.outcome, session.actions[1:]) == ("passed", [("scale", 3), ("scale", 4)])


def deletion(saves: bool) -> Callable[[FakeSession], list[ScheduledEvent]]:
    def stop(session: FakeSession) -> list[ScheduledEvent]:
        events: list[ScheduledEvent] = [pod_event("pod-deleted", name, 29.0) for name in session.states]
        for rank in range(4):
            pod = f"elastic-{rank}"
            events.append((0.5, probe_line(pod, "sigterm", rank)))
            events.append((10.0, probe_line(pod, "saving", rank, seconds=9.5)))
            if saves or rank != 2:
                events.append((24.6, probe_line(pod, "saved", rank, seconds=24.0)))
        return events

    return stop


def test_an_interrupted_checkpoint_fails_with_its_duration() -> None:
    assert run_scenario("delete", {**reactions(start=full_world(1)), "delete": deletion(True)})[0].outcome == "passed"
    verdict, _ = run_scenario("delete", {**reactions(start=full_world(1)), "delete": deletion(False)})
    (check,) = failed_checks(verdict)
    assert check.expectation == "a checkpoint of 24 s completes within the grace period of 30 s"
    assert check.evidence[0].endswith("rank 2 on elastic-2: SIGTERM, killed after 10 s")


def test_the_job_must_complete_when_its_programs_exit() -> None:
    completion = [pod_event("container-exited", "elastic-0", 18.0, exit_code=0), pod_event("job-complete", after=19.0)]
    verdict, _ = run_scenario("finish", reactions(start=[*full_world(1), *completion]))
    assert failed_checks(verdict) == []
    verdict, _ = run_scenario("finish", reactions(start=[*full_world(1), pod_event("job-failed", after=19.0)]))
    assert [check.expectation for check in failed_checks(verdict)] == ["the Job completes when worker 0 succeeds"]


# Scenario, and whether it applies to a fixed-size job of several pods and to a job of one pod.
APPLIES = {
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


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_skipped_scenario_has_a_reason(name: str) -> None:
    for job, applies in zip((FIXED, "torchrun-single/job"), APPLIES[name], strict=True):
        manifests = objects(job)
        reason = SCENARIOS[name].skip_reason(Expectations(plan(manifests), manifests))
        assert (reason == "") is applies, (job, reason)


def test_an_elastic_job_that_starts_with_one_pod_skips_losses() -> None:
    manifests = objects("torchrun-elastic/statefulset")
    assert only(manifests, "HorizontalPodAutoscaler")["spec"]["minReplicas"] == 1
    job = Expectations(plan(manifests), manifests)
    reasons = {name: SCENARIOS[name].skip_reason(job) for name in SCENARIOS}
    with_other_workers = {"lose-pod", "lose-pod-0", "network-partition", "slow-dns", "slow-pod"}
    assert {reasons[name] for name in with_other_workers} == {
        "the job starts with one pod: no other worker is affected"
    }
    assert {name for name, reason in reasons.items() if not reason} == {
        "form",
        "kill-process",
        "scale",
        "delete",
        "finish",
    }


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("paused", "the job is paused: no pod starts until it is resumed"),
        (
            "deepspeed-autotune",
            "DeepSpeed's autotuner forms no single world: it runs the program repeatedly and measures it on GPUs",
        ),
        (
            "real-pytorchjob-mlbatch",
            "a shell computes the name of the program at run time: the probe can't replace it",
        ),
        ("debug", "the pods start no launcher: they run `/usr/sbin/sshd -D` for debugging"),
    ],
)
def test_a_job_that_forms_no_world_is_skipped(name: str, reason: str) -> None:
    verdict = rehearse(name, objects(f"{name}/job"), SCENARIOS["form"], Options())
    assert (verdict.outcome, verdict.reason) == ("skipped", reason)


def test_a_deepspeedjob_of_several_pods_is_skipped_without_its_operators_keys() -> None:
    verdict = rehearse("deepspeed", objects("deepspeed/deepspeedjob"), SCENARIOS["form"], Options())
    assert verdict.outcome == "skipped"
    assert verdict.reason.startswith("only T9k's operator has the SSH keys")


@pytest.mark.parametrize(
    ("golden", "reason"),
    [
        ("mpi", "only mpirun with `-x PATH` is rehearsed: otherwise the image decides what the processes find"),
        ("mpirun-mpich", "only Open MPI is rehearsed, not Intel MPI or MPICH"),
        ("mpirun", ""),
        ("deepspeed", ""),
    ],
)
def test_an_mpijob_is_skipped_if_only_its_image_has_what_it_needs(golden: str, reason: str) -> None:
    manifests = objects(f"{golden}/mpijob")
    missing = _missing_parts(manifests, plan(manifests))
    assert missing in (reason, "this machine has no mpirun: install openmpi-bin" if golden == "mpirun" else reason)


def test_a_smaller_mpijob_has_fewer_processes() -> None:
    """Open MPI refuses more processes than slots."""
    (manifest,) = downscale(objects("mpirun/mpijob"), 2, 1)
    (container,) = manifest["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"]
    assert container["args"][:3] == ["--allow-run-as-root", "-np", "2"]


def test_the_pods_of_an_mpijob_have_the_hostfile_and_one_key() -> None:
    contents, _ = resolve_contents(native_objects(objects("deepspeed/mpijob")))
    name = plan(objects("deepspeed/mpijob")).name
    assert contents["ConfigMap", f"{name}-config"]["hostfile"].startswith(f"{name}-worker-0.{name}.")
    assert "PRIVATE KEY" in contents["Secret", f"{name}-ssh"]["ssh-privatekey"]


def test_a_job_with_an_external_etcd_is_skipped() -> None:
    verdict = rehearse("etcd", objects("torchrun-etcd/job"), SCENARIOS["form"], Options())
    assert verdict.outcome == "skipped"
    assert verdict.reason == "the rendezvous uses the etcd at `etcd.research`, which isn't in the manifests"
    manifests = objects("torchrun-etcd-managed/job")
    assert _missing_parts(manifests, plan(manifests)) == ""
