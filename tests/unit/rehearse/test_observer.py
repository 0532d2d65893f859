"""How long something is waited for."""

from __future__ import annotations

from tests.support.fake_session import Happens, event, line, world
from tests.unit.rehearse.test_compare import FOUR, MASTER, wrong
from tests.unit.rehearse.test_scenarios import acted, then, whole


def test_what_moves_is_waited_for_however_long_it_takes() -> None:
    """The wait is 20 s here, and of an elastic job its last call of 30 s."""
    slow = [event("container-started", "elastic-0", 45.0 * step) for step in range(1, 10)]
    verdict, _ = acted("form", then(start=[*slow, *world(FOUR, after=430.0, master=MASTER)]))
    assert wrong(verdict) == []


def test_what_does_not_move_is_given_up() -> None:
    verdict, stage = acted("form", then(start=whole(1, after=400.0)))
    assert verdict.outcome == "failed"
    assert stage.time < 100


def test_a_worker_that_fails_again_and_again_does_not_move() -> None:
    tries: list[Happens] = []
    for number in range(40):
        tries.append(event("container-started", "elastic-0", 20.0 * number))
        tries.append(event("container-exited", "elastic-0", 20.0 * number + 5, exit_code=1))
    verdict, stage = acted("form", then(start=tries))
    assert verdict.outcome == "failed"
    assert stage.time < 200


def test_processes_that_are_started_and_told_to_end_again_and_again_do_not_move() -> None:
    """As torchrun's agents do that wait for a store in different places: their containers never end."""
    tries: list[Happens] = []
    for number in range(60):
        tries.append((40.0 * number, line("elastic-1", "up", 1, pid=number)))
        tries.append((40.0 * number + 34, line("elastic-1", "told", 1, pid=number)))
    verdict, stage = acted("form", then(start=tries))
    assert verdict.outcome == "failed"
    assert stage.time < 300


def test_what_moves_for_ever_is_given_up_and_that_is_said() -> None:
    """Half an hour, and an elastic job's last call of 30 s."""
    verdict, stage = acted("form", then(start=[event("pod-ready", "elastic-0", 10.0 * step) for step in range(1000)]))
    assert verdict.outcome == "failed"
    assert 1800 < stage.time < 1900
    assert verdict.notes[-1] == "given up after 1830 s, though things still moved: --timeout is 1800 s"
