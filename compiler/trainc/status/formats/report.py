"""Report of a status."""

from __future__ import annotations

from trainc.report.document import Block, Document, Facts, Head, Style, Table
from trainc.report.json import iso
from trainc.status.formats.facts import facts
from trainc.status.formats.rows import HEADS, NUMBERS, rows
from trainc.status.status import JobStatus

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
