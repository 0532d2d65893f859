"""Progress of a rehearsal: a table on a terminal, a line for each event elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable

from trainc.diagnostics.cells import visible
from trainc.rehearse.events import Event, PodState
from trainc.rehearse.log_evidence import event_line
from trainc.rehearse.observer import Observer
from trainc.report.terminal import Colors, fit, pad

# Events that are lines of the progress and the last lines below the table, by the start of their kinds.
_SHOWN = ("container-", "job-", "pod-failed", "pod-deleted", "scaled", "fault")
_INTERVAL = 0.25  # seconds between two drawings
_LAST_LINES = 3
_BAD_PHASES = ("Failed", "Terminating")


class Lines:
    """Progress as one line per event."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._worlds: set[int] = set()
        self.title = ""

    def __call__(self, observer: Observer | None, event: Event | None) -> None:
        for line in new_lines(observer, event, self._worlds):
            self._write(f"{self.title}: {visible(line)}\n")


def new_lines(observer: Observer | None, event: Event | None, shown_worlds: set[int]) -> list[str]:
    """Return a line for the event and for each new complete world; add those worlds to `shown_worlds`."""
    lines = [event_line(event)] if event is not None and event.kind.startswith(_SHOWN) else []
    for world in observer.worlds.all if observer is not None else ():
        if world.complete and world.token not in shown_worlds:
            shown_worlds.add(world.token)
            lines.append(f"{world.completed_at:.1f} s a world of {world.size} on {', '.join(world.ranks_by_pod())}")
    return lines


class Table:
    """Progress as a table of pods, redrawn in place. `size` returns columns and rows."""

    def __init__(self, write: Callable[[str], None], colors: Colors, size: Callable[[], tuple[int, int]]) -> None:
        self._write, self._colors, self._size = write, colors, size
        self._rows, self._drawn_at = 0, 0.0
        self._last_lines: list[str] = []
        self._worlds: set[int] = set()
        self.title = ""

    def __call__(self, observer: Observer | None, event: Event | None) -> None:
        if observer is None:
            self.clear()
            return
        self._last_lines = [*self._last_lines, *new_lines(observer, event, self._worlds)][-_LAST_LINES:]
        now = time.monotonic()
        if now - self._drawn_at >= _INTERVAL:
            self._drawn_at = now
            self._draw(observer)

    def clear(self) -> None:
        """Remove the table from the terminal."""
        if self._rows:
            self._write(f"\x1b[{self._rows}F\x1b[J")
        self._rows, self._last_lines, self._worlds = 0, [], set()

    def _draw(self, observer: Observer) -> None:
        columns, rows = self._size()
        lines = self._lines(observer, max(columns - 1, 20), max(rows - _LAST_LINES - 5, 3))
        up = f"\x1b[{self._rows}F" if self._rows else ""
        self._write(up + "".join(f"{line}\x1b[K\n" for line in lines) + "\x1b[J")
        self._rows = len(lines)

    def _lines(self, observer: Observer, width: int, max_pods: int) -> list[str]:
        worlds = observer.complete_worlds()
        status = f"a world of {worlds[-1].size} since {worlds[-1].completed_at:.0f} s" if worlds else "no world yet"
        checks = "".join("." if check.ok else "!" for check in observer.checks)
        ranks = {
            pod: f"{events[0].rank}" if len(events) == 1 else f"{events[0].rank}–{events[-1].rank}"
            for world in worlds
            for pod, events in world.ranks_by_pod().items()
        }
        workers = _newest(observer.session.pods)
        pods = workers[:max_pods]
        name_width = min(max([len(pod.name) for pod in pods] + [3]), max(width - 34, 8))
        lines = [
            self._colors.paint(fit(f"{self.title}  {observer.now:.0f} s  {status}  {checks}", width), "strong"),
            self._colors.paint(fit(f"{'pod':<{name_width}}  {'state':<12} ready  restarts  ranks", width), "soft"),
        ]
        for pod in pods:
            ready = "yes" if pod.ready else "–"
            row = f"{pad(fit(pod.name, name_width), name_width)}  {pod.phase:<12} {ready:<5}  {pod.restarts:>8}  "
            row = fit(row + ranks.get(pod.name, "–"), width)
            lines.append(self._colors.paint(row, "bad") if pod.phase in _BAD_PHASES else row)
        if len(workers) > len(pods):
            lines.append(self._colors.paint(fit(f"and {len(workers) - len(pods)} more", width), "soft"))
        return [*lines, *(self._colors.paint(fit(line, width), "soft") for line in self._last_lines)]


def _newest(pods: tuple[PodState, ...]) -> list[PodState]:
    """Return each worker's newest pod, sorted; the pods that it replaced count as restarts."""
    workers: dict[tuple[bool, str, int], PodState] = {}
    for pod in pods:
        key = (pod.server, pod.owner, pod.index)
        old = workers.get(key)
        workers[key] = pod if old is None else pod.replace(restarts=old.restarts + 1 + pod.restarts)
    return [workers[key] for key in sorted(workers)]
