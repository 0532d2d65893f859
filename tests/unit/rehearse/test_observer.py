"""Duration of waits."""

from __future__ import annotations

from tests.support.fake_session import ScheduledEvent, pod_event, probe_line, world_events
from tests.unit.rehearse.test_compare import FOUR, MASTER, failed_checks
from tests.unit.rehearse.test_scenarios import full_world, reactions, run_scenario


def test_progress_extends_the_wait() -> None:
    """The patience is 20 s, plus an elastic job's last call of 30 s."""
    events = [pod_event("container-started", "elastic-0", 45.0 * step) for step in range(1, 10)]
    verdict, _ = run_scenario("form", reactions(start=[*events, *world_events(FOUR, after=430.0, master=MASTER)]))
    assert failed_checks(verdict) == []


def test_a_wait_without_progress_ends() -> None:
    verdict, session = run_scenario("form", reactions(start=full_world(1, after=400.0)))
    assert verdict.outcome == "failed"
    assert session.time < 100


def test_a_worker_that_keeps_failing_is_no_progress() -> None:
    attempts: list[ScheduledEvent] = []
    for number in range(40):
        attempts.append(pod_event("container-started", "elastic-0", 20.0 * number))
        attempts.append(pod_event("container-exited", "elastic-0", 20.0 * number + 5, exit_code=1))
    verdict, session = run_scenario("form", reactions(start=attempts))
    assert verdict.outcome == "failed"
    assert session.time < 200


def test_processes_that_keep_restarting_are_no_progress() -> None:
    """For example torchrun agents that wait for different stores: their containers never exit."""
    attempts: list[ScheduledEvent] = []
    for number in range(60):
        attempts.append((40.0 * number, probe_line("elastic-1", "started", 1, pid=number)))
        attempts.append((40.0 * number + 34, probe_line("elastic-1", "sigterm", 1, pid=number)))
    verdict, session = run_scenario("form", reactions(start=attempts))
    assert verdict.outcome == "failed"
    assert session.time < 300


def test_endless_progress_ends_with_a_note() -> None:
    """After 30 minutes, plus an elastic job's last call of 30 s."""
    verdict, session = run_scenario(
        "form", reactions(start=[pod_event("pod-ready", "elastic-0", 10.0 * step) for step in range(1000)])
    )
    assert verdict.outcome == "failed"
    assert 1800 < session.time < 1900
    assert verdict.notes[-1] == "stopped after 1830 s despite progress: --timeout is 1800 s"
