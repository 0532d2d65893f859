"""Watching a stage: it waits for facts, not for seconds, and notes what should happen and whether it did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn, TypeVar

from trainc.rehearse.events import Event, PodState
from trainc.rehearse.expectations import Expectations
from trainc.rehearse.probe_control import ProbeControl
from trainc.rehearse.probe_events import ProbeEvent, parse_probe_event
from trainc.rehearse.session import Session
from trainc.rehearse.verdict import Check
from trainc.rehearse.worlds import World, Worlds

Found = TypeVar("Found")
_TICK = 0.5  # seconds
_TRIES = 3  # failures of one worker after which its next tries are no news
_HEARTBEATS = ("step", "saving")
_EVIDENCE = 6  # lines


class ScenarioAborted(Exception):
    """Something essential didn't happen: the rest of the scenario can't be judged."""


class Observer:
    """One scenario on one stage. `quiet` is how long nothing may move before it is given up, in seconds.

    Whatever moves (a pod that starts, a line of a launcher) begins the wait anew, so a slow machine isn't a failure.
    What moves for ever is given up after `longest` seconds of the whole scenario, and those that the job itself waits.
    """

    def __init__(
        self,
        stage: Session,
        job: Expectations,
        control: ProbeControl,
        quiet: float = 90.0,
        shown: Callable[[Event | None], None] = lambda _: None,
        silent: bool = False,
        longest: float = 1800.0,
    ) -> None:
        self.stage, self.job, self.control, self.quiet = stage, job, control, quiet
        self.longest = self._end = longest
        self.silent = silent  # the program says nothing of itself, and can't be told anything
        self.worlds = Worlds()
        self.events: list[Event] = []
        self.said: list[ProbeEvent] = []
        self.checks: list[Check] = []
        self.notes: list[str] = []
        self.now = 0.0
        self._failures: Counter[int | str] = Counter()
        self._names: dict[int, set[str]] = {}
        self._shown = shown

    # What happens.

    def start(
        self, delays: Mapping[int, float] | None = None, dns_delays: Mapping[int | str, float] | None = None
    ) -> None:
        """Start the pods; from here the seconds count."""
        self.stage.start(delays, dns_delays)

    def until(self, met: Callable[[], Found | None], extra: float = 0.0) -> Found | None:
        """What `met` finds; None when nothing has moved for `quiet` + `extra` seconds, or all is over first."""
        moved = self.now
        self._end += extra
        self._failures.clear()
        while True:
            found = met()
            if found:
                return found
            over = self.stage.finished == "failed"
            seen = self._listen()
            if seen:
                moved = self.now
            elif over or self.now - moved > self.quiet + extra:
                return met() or None
            if self.now > self._end:
                limit = f"--timeout is {self.longest:g} s"
                self.note(f"given up after {self.now:.0f} s, though things still moved: {limit}")
                return met() or None

    def pass_time(self, seconds: float) -> None:
        """Let it go on for a while."""
        end = self.now + seconds
        self._end += seconds
        while self.now < end:
            self._listen()

    def _listen(self) -> bool:
        """Take what happens in a moment; returns whether anything has moved."""
        moved = False
        for event in self.stage.events(_TICK):
            moved = self._take(event) or moved
        self.now = self.stage.now
        self._shown(None)
        return moved

    def _take(self, event: Event) -> bool:
        if event.kind == "container-exited" and event.data.get("exit_code"):
            self._failures[self._index(event.pod)] += 1
        index = event.data.get("index") if event.kind == "pod-created" else None
        if index is not None and event.data.get("server") is not True:
            self._names.setdefault(index, set()).add(event.pod)
        self.events.append(event)
        self._shown(event)
        if event.kind == "container-exited" and not event.data.get("init"):
            self.worlds.lost(event.pod)
        if event.kind in ("rank", "rank-gone"):
            self.worlds.see(event)
        one = parse_probe_event(event)
        if one is None:
            return event.kind not in ("note", "dns") and not self._repeats(event)
        one = self._where(one)
        self.said.append(one)
        self.worlds.hear(one)
        if one.what in ("failed", "told"):
            self._failures[self._index(event.pod)] += 1
        return one.what not in _HEARTBEATS and (one.what == "world" or not self._repeats(event))

    def _where(self, one: ProbeEvent) -> ProbeEvent:
        """What a rank said in its own pod: DeepSpeed over ssh prints what all say in worker 0's log."""
        pods = [pod for pod in self.stage.pods if not pod.server]
        host = one.text("host")
        if not host or any(pod.name == one.pod and pod.hostname == host for pod in pods):
            return one
        there = [pod.name for pod in pods if pod.hostname == host]
        return one.replace(pod=there[-1]) if there else one

    def _repeats(self, event: Event) -> bool:
        """Whether it is of a worker that fails again and again, which leads nowhere."""
        return self._failures[self._index(event.pod)] >= _TRIES

    def _index(self, pod: str) -> int | str:
        return next((index for index, names in self._names.items() if pod in names), pod)

    # What there is.

    def pod(self, index: int) -> PodState:
        """The newest worker of an index. ScenarioAborted if there is none."""
        found = [one for one in self.stage.pods if one.index == index and not one.server]
        if not found:
            self.fail(f"worker {index} is there", ["there is no such pod"])
        return found[-1]

    def named(self, index: int) -> set[str]:
        """The names of all pods that an index has had."""
        for one in self.stage.pods:
            if not one.server:
                self._names.setdefault(one.index, set()).add(one.name)
        return self._names.get(index, set())

    def happened(self, *kinds: str, since: float = 0.0) -> list[Event]:
        """Events of some kinds after a moment."""
        return [one for one in self.events if one.kind in kinds and one.at >= since]

    def world(self, size: int | None, since: float = -1.0, extra: float = 0.0) -> World | None:
        """A whole world of a size (None: of any) that began after a moment and still lives."""

        def met() -> World | None:
            there = [one for one in self.worlds.live if one.began > since and one.complete]
            return next((one for one in there if size in (None, one.size)), None)

        return self.until(met, extra)

    # What should be.

    def check(self, expectation: str, ok: bool, evidence: Sequence[str] = ()) -> bool:
        """Note what should be, and whether it is."""
        self.checks.append(Check(expectation=expectation, ok=ok, at=round(self.now, 1), evidence=tuple(evidence)))
        return ok

    def must(self, expectation: str, ok: object, evidence: Sequence[str] = ()) -> None:
        """A check without which there is nothing more to judge. Raises Over."""
        if not self.check(expectation, bool(ok), evidence):
            raise ScenarioAborted

    def fail(self, expectation: str, evidence: Sequence[str]) -> NoReturn:
        """Something essential is not so."""
        self.check(expectation, False, evidence)
        raise ScenarioAborted

    def note(self, text: str) -> None:
        """Something worth knowing that is neither right nor wrong."""
        if text not in self.notes:
            self.notes.append(text)

    def evidence(self, since: float = 0.0) -> list[str]:
        """What there was instead of a world: the worlds that there were, each pod's state, and its last complaint."""
        from trainc.rehearse.log_evidence import instead

        return instead(self, since)[: _EVIDENCE * 2]
