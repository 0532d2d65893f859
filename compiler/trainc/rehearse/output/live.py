"""A rehearsal while it goes on: a table that is drawn in place on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable

from trainc.diagnostics.cells import cells, visible
from trainc.rehearse.events import Event, PodState
from trainc.rehearse.log_evidence import event_line
from trainc.rehearse.observer import Observer
from trainc.rehearse.output.colors import Paint

# What is told in plain lines, and below the table.
_TOLD = frozenset(
    [
        "container-started",
        "container-exited",
        "container-restarted",
        "pod-failed",
        "pod-deleted",
        "job-complete",
        "job-failed",
        "scaled",
        "fault",
    ]
)
_SECONDS = 0.25  # between two drawings
_LAST = 3  # lines of what happened last
_BAD = ("Failed", "Terminating")


Shown = Callable[[Observer | None, Event | None], None]


class Lines:
    """One line for each thing that happens."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._worlds: set[int] = set()
        self.title = ""

    def __call__(self, watch: Observer | None, event: Event | None) -> None:
        for line in news(watch, event, self._worlds):
            self._say(f"{self.title}: {visible(line)}\n")


def news(watch: Observer | None, event: Event | None, seen: set[int]) -> list[str]:
    """What is worth a line: an event, and the worlds that have formed since."""
    found = [event_line(event)] if event is not None and event.kind in _TOLD else []
    for world in watch.worlds.every if watch is not None else ():
        if world.complete and world.token not in seen:
            seen.add(world.token)
            found.append(f"{world.at:.1f} s a world of {world.size} on {', '.join(world.pods())}")
    return found


class Table:
    """Pods with their states, ranks and restarts, drawn again in place. `size` gives columns and rows."""

    def __init__(self, write: Callable[[str], None], paint: Paint, size: Callable[[], tuple[int, int]]) -> None:
        self._write, self._paint, self._size = write, paint, size
        self._drawn, self._at = 0, 0.0
        self._last: list[str] = []
        self._worlds: set[int] = set()
        self.title = ""

    def __call__(self, watch: Observer | None, event: Event | None) -> None:
        if watch is None:
            self.clear()
            return
        self._last = [*self._last, *news(watch, event, self._worlds)][-_LAST:]
        now = time.monotonic()
        if now - self._at >= _SECONDS:
            self._at = now
            self._draw(watch)

    def clear(self) -> None:
        """Leave nothing behind."""
        if self._drawn:
            self._write(f"\x1b[{self._drawn}F\x1b[J")
        self._drawn, self._last, self._worlds = 0, [], set()

    def _draw(self, watch: Observer) -> None:
        columns, rows = self._size()
        lines = self._lines(watch, max(columns - 1, 20), max(rows - _LAST - 5, 3))
        up = f"\x1b[{self._drawn}F" if self._drawn else ""
        self._write(up + "".join(f"{line}\x1b[K\n" for line in lines) + "\x1b[J")
        self._drawn = len(lines)

    def _lines(self, watch: Observer, width: int, room: int) -> list[str]:
        live = [one for one in watch.worlds.live if one.complete]
        world = f"a world of {live[-1].size} since {live[-1].at:.0f} s" if live else "no world yet"
        checks = "".join("." if one.ok else "!" for one in watch.checks)
        ranks = {
            pod: f"{numbers[0].rank}" if len(numbers) == 1 else f"{numbers[0].rank}–{numbers[-1].rank}"
            for one in live
            for pod, numbers in one.pods().items()
        }
        every = _newest(watch.stage.pods)
        pods = every[:room]
        named = max([len(one.name) for one in pods] + [3])
        named = min(named, max(width - 34, 8))
        lines = [
            self._paint.strong(_fit(f"{self.title}  {watch.now:.0f} s  {world}  {checks}", width)),
            self._paint.faint(_fit(f"{'pod':<{named}}  {'state':<12} ready  restarts  ranks", width)),
        ]
        for pod in pods:
            ready = "yes" if pod.ready else "–"
            row = f"{_fit(pod.name, named):<{named}}  {pod.phase:<12} {ready:<5}  {pod.restarts:>8}  "
            row = _fit(row + ranks.get(pod.name, "–"), width)
            lines.append(self._paint.bad(row) if pod.phase in _BAD else row)
        hidden = len(every) - len(pods)
        if hidden:
            lines.append(self._paint.faint(_fit(f"and {hidden} more", width)))
        return [*lines, *(self._paint.faint(_fit(visible(line), width)) for line in self._last)]


def _newest(pods: tuple[PodState, ...]) -> list[PodState]:
    """Of each worker its newest pod, in the workers' order; those before it count among its restarts."""
    found: dict[tuple[bool, str, int], PodState] = {}
    for pod in pods:
        place = (pod.server, pod.owner, pod.index)
        before = found.get(place)
        found[place] = pod if before is None else pod.replace(restarts=before.restarts + 1 + pod.restarts)
    return [pod for _, pod in sorted(found.items(), key=lambda one: one[0])]


def _fit(line: str, width: int) -> str:
    """The line cut to so many columns."""
    found, at = "", 0
    for text, columns in cells(line):
        if at + columns > width:
            return found[:-1] + "…" if found else ""
        found, at = found + text, at + columns
    return found
