"""Rows of the table of workers; consecutive ones in the same state share a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby

from trainc.plan.formats.graph import Mark
from trainc.plan.quantity import format_range, plural
from trainc.report.document import Row, Style
from trainc.status.status import JobStatus
from trainc.status.times import age, clock
from trainc.status.workers import WorkerStatus

HEADS = ("worker", "ranks", "phase", "restarts", "for", "node")
NUMBERS = ("ranks", "restarts", "for")
_PHASES: dict[str, Style] = {"Running": "good", "Succeeded": "good", "Failed": "bad", "Unknown": "bad"}
_FAULTS = ("crash-loop", "container-ended", "node-lost", "quota", "not-created", "service-account", "pod-security")


def rows(status: JobStatus) -> tuple[Row, ...]:
    """Return the rows of the workers that have a pod, or should have one, with what is wrong with them."""
    shown = [each for each in (*status.workers, *status.launchers) if each.pod or each.is_expected]
    shown += status.servers
    return tuple(_row(list(group), status.now) for _, group in groupby(shown, lambda each: _key(each, status.now)))


def mark(worker: WorkerStatus) -> Mark:
    """Return the color and the word for the state of a worker."""
    problem = worker.problem.code if worker.problem else ""
    if worker.pod is None:
        color: Style = "bad" if problem in _FAULTS else "soft"
        return Mark(color=color, label="no pod" if worker.is_expected else "not scaled up")
    color = "bad" if problem in _FAULTS else _PHASES.get(worker.phase, "waits")
    return Mark(color=color, label=_phase(worker) if not problem or worker.phase == "Succeeded" else problem)


def _key(worker: WorkerStatus, now: datetime) -> tuple[object, ...]:
    restarts = worker.pod.restarts if worker.pod else 0
    return (
        worker.record.role,
        worker.phase,
        restarts,
        tuple(_details(worker, now)),
        worker.ranks is None,
        worker.pod is None,
    )


def _row(workers: Sequence[WorkerStatus], now: datetime) -> Row:
    first, last = workers[0], workers[-1]
    name = (
        first.name if len(workers) == 1 else f"{first.name} … {last.name.rpartition('-')[2]} ({len(workers)} workers)"
    )
    ranks = [each.ranks for each in workers if each.ranks]
    times = [each.pod.since for each in workers if each.pod and each.pod.since]
    nodes = list(dict.fromkeys(each.pod.node for each in workers if each.pod and each.pod.node))
    return Row(
        cells=(
            name,
            format_range(min(ranks)[0], max(ranks)[1]) if ranks else "–",
            _phase(first),
            str(sum(each.pod.restarts for each in workers if each.pod)),
            age(min(times), now) if times else "–",
            nodes[0] if len(nodes) == 1 else plural(len(nodes), "node") if nodes else "–",
        ),
        details=tuple(_details(first, now)),
        style=mark(first).color,
    )


def _phase(worker: WorkerStatus) -> str:
    if worker.pod is None:
        return "no pod"
    if worker.pod.deleting and not worker.pod.has_ended:
        return "Terminating"
    return "Pending" if worker.phase == "Creating" else worker.phase  # as kubectl shows a pod without a node


def _details(worker: WorkerStatus, now: datetime) -> Iterator[str]:
    """Yield the worker's problem, what follows, and its past."""
    if worker.problem:
        yield worker.problem.message
    if worker.record.rule:
        yield worker.record.rule
    replacement = worker.record.replacement
    if replacement:
        late = " (overdue)" if replacement < now else ""
        yield f"its replacement follows at {clock(replacement, now)}{late}"
    for pod in worker.earlier:
        if pod.problem:
            time = f" at {clock(pod.since, now)}" if pod.since else ""
            yield f"earlier pod {pod.name}{time}: {pod.problem.message}"
    for former in worker.former:
        time = f" at {clock(former.time, now)}" if former.time else ""
        yield f"earlier pod{time}: {former.message}"
