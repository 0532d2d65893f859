"""Observation of a session: waits for conditions, and records expectations and whether they hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

from trainc.rehearse.events import Event
from trainc.rehearse.expectations import Expectations
from trainc.rehearse.log_evidence import describe_pods, describe_worlds
from trainc.rehearse.probe_client import ProbeControl, ProbeEvent, parse_probe_event
from trainc.rehearse.session import Session
from trainc.rehearse.verdict import Check
from trainc.rehearse.worlds import World, Worlds

T = TypeVar("T")
_TICK = 0.5  # seconds
_MAX_FAILURES = 3  # failures of one worker after which its further attempts don't count as progress
_HEARTBEATS = ("step", "saving")
_MAX_EVIDENCE = 12  # lines


class ScenarioAborted(Exception):
    """A required expectation failed: the rest of the scenario can't be judged."""


class Observer:
    """One scenario on one session. `patience` and `timeout` are in seconds.

    Any progress (a pod that starts, a line of a launcher) restarts the wait of `patience`, so a slow machine fails
    nothing. Endless progress ends after `timeout` for the entire scenario, plus the waits that the job itself causes.
    """

    def __init__(
        self,
        session: Session,
        job: Expectations,
        control: ProbeControl,
        ranks_from_env: bool,
        patience: float,
        timeout: float,
    ) -> None:
        self.session, self.job, self.control, self.patience = session, job, control, patience
        self.timeout = self._end = timeout
        self.on_update: Callable[[Event | None], None] = lambda _: None
        self.ranks_from_env = ranks_from_env  # the program isn't the probe: it prints no events and can't be controlled
        self.worlds = Worlds()
        self.events: list[Event] = []
        self.probe_events: list[ProbeEvent] = []
        self.checks: list[Check] = []
        self.notes: list[str] = []
        self.now = 0.0
        self._failures: Counter[int | str] = Counter()
        self._names: dict[int, set[str]] = {}

    def wait_until(self, condition: Callable[[], T | None], extra: float = 0.0) -> T | None:
        """Return the condition's first true value; None after `patience` + `extra` seconds without progress."""
        last_progress = self.now
        self._end += extra
        self._failures.clear()
        while True:
            value = condition()
            if value:
                return value
            has_failed = self.session.finished == "failed"
            if self._read_events():
                last_progress = self.now
            elif has_failed or self.now - last_progress > self.patience + extra:
                return condition() or None
            if self.now > self._end:
                self.note(f"stopped after {self.now:.0f} s despite progress: --timeout is {self.timeout:g} s")
                return condition() or None

    def sleep(self, seconds: float) -> None:
        """Let the job run for some seconds."""
        end = self.now + seconds
        self._end += seconds
        while self.now < end:
            self._read_events()

    def _read_events(self) -> bool:
        """Read the events of one tick; return whether any of them is progress."""
        progress = False
        for event in self.session.events(_TICK):
            progress = self._apply(event) or progress
        self.now = self.session.now
        self.on_update(None)
        return progress

    def _apply(self, event: Event) -> bool:
        if event.kind == "container-exited" and event.data.get("exit_code"):
            self._failures[self._index(event.pod)] += 1
        if event.kind == "pod-created" and "index" in event.data and not event.data.get("server"):
            self._names.setdefault(event.data["index"], set()).add(event.pod)
        self.events.append(event)
        self.on_update(event)
        if event.kind == "container-exited" and not event.data.get("init"):
            self.worlds.end_pod(event.pod)
        if event.kind in ("rank", "rank-exited"):
            self.worlds.add_process_event(event)
        probe_event = parse_probe_event(event)
        if probe_event is None:
            return event.kind not in ("note", "dns") and not self._keeps_failing(event)
        probe_event = self._with_own_pod(probe_event)
        self.probe_events.append(probe_event)
        self.worlds.add_probe_event(probe_event)
        if probe_event.kind in ("failed", "sigterm"):
            self._failures[self._index(event.pod)] += 1
        return probe_event.kind not in _HEARTBEATS and (probe_event.kind == "world" or not self._keeps_failing(event))

    def _with_own_pod(self, event: ProbeEvent) -> ProbeEvent:
        """Set the rank's own pod: over ssh, DeepSpeed prints the output of all ranks in worker 0's log."""
        pods = [pod for pod in self.session.pods if not pod.server]
        host = event.text("host")
        if not host or any(pod.name == event.pod and pod.hostname == host for pod in pods):
            return event
        names = [pod.name for pod in pods if pod.hostname == host]
        return event.replace(pod=names[-1]) if names else event

    def _keeps_failing(self, event: Event) -> bool:
        return self._failures[self._index(event.pod)] >= _MAX_FAILURES

    def _index(self, pod: str) -> int | str:
        return next((index for index, names in self._names.items() if pod in names), pod)

    def pod_names(self, index: int) -> set[str]:
        """Return the names of all pods that a worker index has had."""
        for pod in self.session.pods:
            if not pod.server:
                self._names.setdefault(pod.index, set()).add(pod.name)
        return self._names.get(index, set())

    def events_of(self, *kinds: str, since: float = 0.0) -> list[Event]:
        """Return the events of some kinds from `since` on."""
        return [event for event in self.events if event.kind in kinds and event.at >= since]

    def exits(self, since: float = 0.0) -> list[Event]:
        """Return the exits of containers that aren't init containers, from `since` on."""
        return [event for event in self.events_of("container-exited", since=since) if not event.data.get("init")]

    def complete_worlds(self, since: float = -1.0) -> list[World]:
        """Return the complete worlds that started after `since` and haven't lost a rank."""
        return [world for world in self.worlds.live if world.started_at > since and world.complete]

    def wait_for_world(self, size: int | None, since: float = -1.0, extra: float = 0.0) -> World | None:
        """Wait for a complete world of a size (None: any) that started after `since`."""

        def world() -> World | None:
            return next((world for world in self.complete_worlds(since) if size in (None, world.size)), None)

        return self.wait_until(world, extra)

    def check(self, expectation: str, ok: bool, evidence: Sequence[str] = ()) -> None:
        """Record an expectation and whether it holds."""
        self.checks.append(Check(expectation=expectation, ok=ok, at=round(self.now, 1), evidence=tuple(evidence)))

    def require(self, expectation: str, value: T | None, evidence: Sequence[str] = ()) -> T:
        """Record an expectation and return its value; raise ScenarioAborted if it is None or false."""
        self.check(expectation, bool(value), evidence)
        if not value:
            raise ScenarioAborted
        return value

    def note(self, text: str) -> None:
        """Record information that neither passes nor fails."""
        if text not in self.notes:
            self.notes.append(text)

    def evidence(self, since: float = 0.0) -> list[str]:
        """Describe what happened instead of an expectation: worlds, pod states and the pods' last errors."""
        lines = describe_worlds(self.worlds.since(since))
        if not lines:
            pods = {event.pod for event in self.probe_events if event.kind == "started" and event.at >= since}
            lines.append(f"no world; processes started on {', '.join(sorted(pods)) or 'no pod'}")
        return [*lines, *describe_pods(self.session.pods, self.events)][:_MAX_EVIDENCE]
