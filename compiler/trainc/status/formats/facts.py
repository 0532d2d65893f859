"""Facts about a whole job: what its workers do meanwhile, limits, next steps, and what the input does not tell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trainc.plan.failures import duration
from trainc.plan.quantity import plural
from trainc.status.status import JobStatus
from trainc.status.times import clock
from trainc.systems.shared.status import Retries


class Fact(NamedTuple):
    """Name, text, and a command that helps, empty if there is none."""

    name: str
    text: str
    command: str = ""


def facts(status: JobStatus) -> Iterator[Fact]:
    """Yield all facts, those of a name together."""
    runs = plural(status.world.running, "running worker")
    for each in status.consequences:
        late = " (overdue)" if each.until and each.until < status.now else ""
        end = f" until {clock(each.until, status.now)}{late}" if each.until else ""
        end += f", then {each.end}" if each.end else ""
        yield Fact("meanwhile", f"{runs}: {each.message}{end}" + (f": {each.reason}" if each.reason else ""))
    if status.deadline:
        left = int((status.deadline - status.now).total_seconds())
        end = f" (in {duration(left)}), then the job fails" if left > 0 else ": it has passed, and the job still runs"
        yield Fact("deadline", clock(status.deadline, status.now) + end)
    if status.retries and status.state not in ("succeeded", "failed"):
        yield Fact("retries", _retries(status.retries, "the launcher" if status.launchers else "all workers together"))
    yield from (Fact("next", step.message, step.command) for step in status.steps)
    yield from (Fact("note", note) for note in status.notes)


def _retries(retries: Retries, whose: str) -> str:
    left = f"{retries.left()} of {retries.fatal - 1} left"
    if retries.per_worker:
        return (
            f"{retries.left()} left for each worker" if not retries.used else f"{left} for the worker that failed most"
        )
    return f"{left} for {whose} ({retries.counted})"


def subject(status: JobStatus) -> str:
    """Return the object that controls the job's pods, its namespace and its phase."""
    kind, name = status.owner
    where = f" in {status.namespace}" if status.namespace else ""
    return f"{f'{kind}/{name}' if kind != 'Pod' else 'Pods'}{where}, phase {status.phase}"
