"""Clock and events of a session."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from tests.unit.plan.manifests import objects
from trainc.rehearse.session import Session


class LateClock(Session):
    """The supervisor's clock starts a second after the order to start; nothing runs."""

    def _send(self, **_: object) -> None:
        self.zero = time.monotonic() + 1

    def report(self, kind: Any) -> float:
        """Deliver an event of the supervisor's current time; return that time."""
        at = time.monotonic() - self.zero
        self._apply({"event": {"at": at, "kind": kind}, "state": None})
        return at


def test_the_effects_of_an_action_have_later_times() -> None:
    session = LateClock(objects("torchrun-elastic/job"))
    session.start()
    session.report("scaled")
    action = session.now
    assert action <= session.report("scaled")


def test_a_flood_of_events_does_not_extend_the_timeout() -> None:
    session = LateClock(objects("torchrun-elastic/job"))
    session.start()
    session.report("scaled")
    for number, _ in enumerate(session.events(-10)):
        session.report("scaled")
        assert number < 5, "every event read causes another one, and reading goes on"


def test_events_and_artifacts_show_no_secret_of_the_manifests(tmp_path: Path) -> None:
    variable, printed = "d34db33f" * 4, "AKIA" + "IOSFODNN7EXAMPLQ"
    manifests = objects("torchrun-elastic/job")
    (workload,) = (manifest for manifest in manifests if manifest["kind"] == "Job")
    workload["spec"]["template"]["spec"]["containers"][0]["env"].append({"name": "WANDB_API_KEY", "value": variable})
    session = LateClock(manifests, artifacts=tmp_path)
    session.start()
    text = f"ValueError: can't log in with {variable} or {printed}"
    event = {"at": 1.0, "kind": "line", "pod": "elastic-0", "container": "main", "text": text}
    session._apply({"event": event, "state": None})
    (shown,) = session.events(-10)
    assert shown.text == "ValueError: can't log in with ‹hidden› or ‹hidden›"
    assert (tmp_path / "elastic-0" / "main.log").read_text() == shown.text + "\n"
