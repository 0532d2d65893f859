"""Fake session without pods: its events are scripted, and its clock is simulated."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, Self

from trainc.plan.fields import Object
from trainc.plan.plan import Plan, plan
from trainc.rehearse.events import Event, PodState
from trainc.rehearse.session import Session

# Seconds after the action, and the event; events also change the pods' states.
ScheduledEvent = tuple[float, Event]
Reaction = Callable[["FakeSession"], Sequence[ScheduledEvent]]


class FakeSession(Session):
    """`reactions` return the events after an action, such as start, kill_pod or scale."""

    def __init__(self, objects: list[Object], reactions: Mapping[str, Reaction], **options: Any) -> None:
        self.objects, self.options = objects, options
        self.plan: Plan = plan(objects)
        self.unsupported = ("GPUs",)
        self.time = 0.0
        self.actions: list[tuple[Any, ...]] = []
        self.states: dict[str, PodState] = {}
        self.result: Literal["complete", "failed"] | None = None
        self.closed = False
        self._reactions, self._waiting = reactions, list[ScheduledEvent]()
        for worker in self.plan.workers:
            self.put(worker.pod.index, "Pending")

    def put(self, index: int, phase: str, **fields: Any) -> None:
        """Set a pod's state, under its hostname."""
        worker = next(worker for worker in self.plan.workers if worker.pod.index == index)
        name = worker.pod.hostname
        state = PodState(
            name=name,
            index=index,
            phase=phase,
            ready=phase == "Running",
            restarts=0,
            ip=f"10.0.0.{index + 1}",
            uid=f"uid-{index}",
            hostname=name,
            env={variable.name: variable.value for variable in worker.container.env},
            argv=worker.container.argv,
        )
        self.states[name] = state.replace(**fields)

    @property
    def now(self) -> float:
        return self.time

    @property
    def pods(self) -> tuple[PodState, ...]:
        return tuple(self.states.values())

    @property
    def finished(self) -> Literal["complete", "failed"] | None:
        return self.result

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.closed = True

    def events(self, timeout: float) -> Iterator[Event]:
        end = self.time + timeout
        due = sorted(
            (scheduled for scheduled in self._waiting if scheduled[0] <= end), key=lambda scheduled: scheduled[0]
        )
        self._waiting = [entry for entry in self._waiting if entry[0] > end]
        for at, event in due:
            self.time = max(self.time, at)
            if event.kind in ("job-complete", "job-failed"):
                self.result = "complete" if event.kind == "job-complete" else "failed"
            phase = {"pod-succeeded": "Succeeded", "pod-failed": "Failed", "pod-deleted": "Deleted"}.get(event.kind)
            if phase:
                self.states[event.pod] = self.states[event.pod].replace(phase=phase, ready=False)
            yield event.replace(at=self.time)
        self.time = end

    def _do(self, action: str, *arguments: Any) -> None:
        self.actions.append((action, *arguments))
        for after, event in self._reactions[action](self) if action in self._reactions else ():
            self._waiting.append((self.time + after, event))

    def start(
        self, delays: Mapping[int, float] | None = None, dns_delays: Mapping[int | str, float] | None = None
    ) -> None:
        for name in self.states:
            self.states[name] = self.states[name].replace(phase="Running", ready=True)
        self._do("start", dict(delays or {}), dict(dns_delays or {}))

    def schedule(self, pod: str | int) -> None:
        self._do("schedule", pod)

    def kill_process(self, pod: str | int, target: int | str) -> None:
        self._do("kill_process", pod, target)

    def kill_pod(self, pod: str | int, grace: float | None = None, evicted: bool = False) -> None:
        self._do("kill_pod", pod, grace)

    def disconnect(self, pod: str | int) -> None:
        self._do("disconnect", pod)

    def reconnect(self, pod: str | int) -> None:
        self._do("reconnect", pod)

    def scale(self, to: int) -> None:
        self._do("scale", to)

    def delete(self) -> None:
        self._do("delete")


def probe_line(pod: str, kind: str, rank: int | None, **fields: Any) -> Event:
    """Return the probe's line as in a pod's log."""
    return Event(at=0, kind="line", pod=pod, text=json.dumps({"probe": kind, "t": 1.0, "rank": rank, **fields}))


def world_events(
    ranks: Mapping[str, Sequence[int]], token: int = 1, after: float = 5.0, master: str = "", **fields: Any
) -> list[ScheduledEvent]:
    """Return the events of a world; `ranks` are the ranks of each pod."""
    size = sum(map(len, ranks.values()))
    common = {"world": size, "sum": size * (size + 1) // 2, "master": master, "port": "40000", **fields}
    return [
        (
            after,
            probe_line(pod, "world", rank, token=token, local_rank=place, host=pod, pid=100 * token + place, **common),
        )
        for pod, numbers in ranks.items()
        for place, rank in enumerate(numbers)
    ]


def pod_event(kind: Any, pod: str = "", after: float = 1.0, **data: Any) -> ScheduledEvent:
    """Return any other event."""
    return after, Event(at=0, kind=kind, pod=pod, data=data)
