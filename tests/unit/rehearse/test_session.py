"""Clock and events of a session."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from tests.unit.plan.manifests import objects
from trainc.rehearse.session import Session


class LateClock(Session):
    """Session whose supervisor's clock starts a second after start(), and which runs nothing."""

    def _send(self, **_: object) -> None:
        self.zero = time.monotonic() + 1

    def report(self, kind: Any) -> float:
        """Deliver an event of the supervisor's current time; return that time."""
        now = time.monotonic() - self.zero
        self._apply({"event": {"at": now, "kind": kind}, "state": None})
        return now


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
        assert number < 5, "events() must return although each event causes another one"


def test_secrets_are_redacted_in_events_and_artifacts(tmp_path: Path) -> None:
    variable, token = "d34db33f" * 4, "AKIA" + "IOSFODNN7EXAMPLQ"
    manifests = objects("torchrun-elastic/job")
    (workload,) = (manifest for manifest in manifests if manifest["kind"] == "Job")
    workload["spec"]["template"]["spec"]["containers"][0]["env"].append({"name": "WANDB_API_KEY", "value": variable})
    session = LateClock(manifests, artifacts=tmp_path)
    session.start()
    text = f"ValueError: can't log in with {variable} or {token}"
    event = {"at": 1.0, "kind": "line", "pod": "elastic-0", "container": "main", "text": text}
    session._apply({"event": event, "state": None})
    (line,) = session.events(-10)
    assert line.text == "ValueError: can't log in with ‹hidden› or ‹hidden›"
    assert (tmp_path / "elastic-0" / "main.log").read_text() == line.text + "\n"
