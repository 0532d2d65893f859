"""Facts about a whole job: what its workers do meanwhile, limits, next steps, and what the input does not tell.

Only the first of those of a name has it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from trainc.plan.failures import duration
from trainc.plan.quantity import plural
from trainc.report.document import Fact
from trainc.status.status import JobStatus
from trainc.status.times import clock
from trainc.systems.shared.lifecycle import Retries


def facts(status: JobStatus) -> Iterator[Fact]:
    """Yield all facts."""
    for _, (first, *others) in groupby(_facts(status), lambda fact: fact.name):
        yield from (first, *(fact.replace(name="") for fact in others))


def _facts(status: JobStatus) -> Iterator[Fact]:
    runs = plural(status.world.running, "running worker")
    for each in status.consequences:
        late = " (overdue)" if each.until and each.until < status.now else ""
        end = f" until {clock(each.until, status.now)}{late}" if each.until else ""
        end += f", then {each.end}" if each.end else ""
        reason = f": {each.reason}" if each.reason else ""
        yield Fact(name="meanwhile", text=f"{runs}: {each.message}{end}{reason}")
    if status.deadline:
        left = int((status.deadline - status.now).total_seconds())
        end = f" (in {duration(left)}), then the job fails" if left > 0 else ": it has passed, and the job still runs"
        yield Fact(name="deadline", text=clock(status.deadline, status.now) + end)
    if status.retries and status.state not in ("succeeded", "failed"):
        whose = "the launcher" if status.launchers else "all workers together"
        yield Fact(name="retries", text=_retries(status.retries, whose))
    yield from (Fact(name="next", text=step.message, command=step.command, yaml=step.yaml) for step in status.steps)
    yield from (Fact(name=each.name, text=each.message, command=each.command) for each in status.commands)
    yield from (Fact(name="note", text=note) for note in status.notes)


def _retries(retries: Retries, whose: str) -> str:
    left = f"{retries.left()} of {retries.fatal - 1} left"
    if retries.per_worker:
        return (
            f"{retries.left()} left for each worker" if not retries.used else f"{left} for the worker that failed most"
        )
    return f"{left} for {whose} ({retries.counted})"
