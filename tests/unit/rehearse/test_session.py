"""The clock of a stage, and its events."""

from __future__ import annotations

import time
from typing import Any

from tests.unit.plan.manifests import objects
from trainc.rehearse.session import Session


class Late(Session):
    """Whose pods' clock began a second after the order to start; nothing runs."""

    def _order(self, **_: object) -> None:
        self.zero = time.monotonic() + 1

    def tell(self, kind: Any) -> float:
        """An event of this moment, by the pods' clock; returns when that is."""
        at = time.monotonic() - self.zero
        self._take({"event": {"at": at, "kind": kind}, "state": None})
        return at


def test_what_follows_an_act_is_later_by_the_clock_with_which_it_is_compared() -> None:
    stage = Late(objects("torchrun-elastic/job"))
    stage.start()
    stage.tell("scaled")
    act = stage.now
    assert act <= stage.tell("scaled")


def test_a_flood_of_events_does_not_keep_a_wait_from_ending() -> None:
    stage = Late(objects("torchrun-elastic/job"))
    stage.start()
    stage.tell("scaled")
    for number, _ in enumerate(stage.events(-10)):
        stage.tell("scaled")
        assert number < 5, "each one read brings another, and it reads on"
