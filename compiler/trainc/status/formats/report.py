"""Report of a status."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from trainc.plan.failures import duration
from trainc.plan.quantity import plural
from trainc.report.document import Block, Document, Fact, Facts, Head, Style, Table
from trainc.report.json import iso
from trainc.status.formats.rows import HEADS, NUMBERS, rows
from trainc.status.status import JobStatus
from trainc.status.times import clock
from trainc.systems.shared.lifecycle import Retries

_STATES: dict[str, Style] = {
    **dict.fromkeys(("running", "succeeded", "scaled"), "good"),
    **dict.fromkeys(("queued", "pending", "starting"), "waits"),
    **dict.fromkeys(("degraded", "failed"), "bad"),
}


def report(status: JobStatus) -> Document:
    """Return the state of the job, its workers, and what follows."""
    about = f"{_subject(status)}, {iso(status.now)}"
    style = _STATES.get(status.state, "soft")
    head = Head(name=status.name, state=status.state, style=style, text=status.summary, about=about)
    blocks: list[Block] = []
    if workers := rows(status):
        blocks.append(Table(title="Workers", heads=HEADS, rows=workers, numbers=NUMBERS))
    if follows := tuple(facts(status)):
        blocks.append(Facts(title="What happens, and what to do", facts=follows))
    return Document(head=head, blocks=tuple(blocks))


def _subject(status: JobStatus) -> str:
    kind, name = status.owner
    where = f" in {status.namespace}" if status.namespace else ""
    return f"{f'{kind}/{name}' if kind != 'Pod' else 'Pods'}{where}, phase {status.phase}"


def facts(status: JobStatus) -> Iterator[Fact]:
    """Yield the facts about a whole job: what its workers do meanwhile, limits, next steps, and gaps of the input.

    Only the first of those of a name has it.
    """
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
