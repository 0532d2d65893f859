"""Status as an HTML page: the plan's picture with the state of each worker, and tables; it loads nothing."""

from __future__ import annotations

from collections.abc import Iterable

from trainc.plan.formats.graph import Mark
from trainc.plan.formats.html_page import page, table
from trainc.plan.formats.svg import svg
from trainc.plan.formats.svg_shapes import escape
from trainc.plan.plan import Plan
from trainc.status.formats.facts import Fact, facts, subject
from trainc.status.formats.rows import HEADS, NUMBERS, rows
from trainc.status.status import JobStatus
from trainc.status.times import iso
from trainc.status.workers import WorkerStatus

_STYLE = (
    "h1{font-size:22px;margin:8px 0}"
    ".state{display:inline-block;padding:2px 12px;border-radius:12px;border:1px solid currentColor;font-weight:650}"
    ".good{color:var(--good)}.waits{color:var(--waits)}.bad{color:var(--bad)}.soft{color:var(--soft)}"
    "td small{display:block;color:var(--soft)}"
)
_STATES = {
    **dict.fromkeys(("running", "succeeded", "scaled"), "good"),
    **dict.fromkeys(("queued", "pending", "starting"), "waits"),
    **dict.fromkeys(("degraded", "failed"), "bad"),
}
_PHASES = {"Running": "good", "Succeeded": "good", "Failed": "bad", "Unknown": "bad"}
_FAULTS = ("crash-loop", "container-ended", "node-lost", "quota", "not-created", "service-account", "pod-security")


def html_page(statuses: list[JobStatus]) -> str:
    """Format all jobs, each with its picture."""
    names = ", ".join(status.name for status in statuses)
    return page(f"{names} · trainc status", map(_job, statuses), _STYLE)


def _job(status: JobStatus) -> str:
    state = f'<span class="state {_STATES.get(status.state, "soft")}">{escape(status.state)}</span>'
    about = f"{status.summary}. {subject(status)}, {iso(status.now)}."
    parts = [f"<h1>{escape(status.name)} {state}</h1><p>{escape(about)}</p>"]
    if status.plan.workers:
        parts.append(f"<figure>{svg([_picture(status.plan)], _marks(status.workers))}</figure>")
    parts.append(f"<h2>Workers</h2>{_workers(status)}")
    if about := "".join(map(_fact, facts(status))):
        parts.append(f"<h2>What happens, and what to do</h2><table>{about}</table>")
    rows = [[each.type, each.status, each.reason, each.message, iso(each.time) or ""] for each in status.conditions]
    parts.append(f"<h2>Conditions</h2>{table(['type', 'status', 'reason', 'message', 'since'], rows)}")
    return "".join(parts)


def _picture(plan: Plan) -> Plan:
    """Return the plan without findings, which follow from objects that the input lacks, and without other Services."""
    return plan.replace(findings=(), services=tuple(each for each in plan.services if each.pods))


def _marks(workers: Iterable[WorkerStatus]) -> dict[int, Mark]:
    return {each.planned.position: _mark(each) for each in workers if each.planned}


def _mark(worker: WorkerStatus) -> Mark:
    problem = worker.problem.code if worker.problem else ""
    if worker.pod is None:
        color = "bad" if problem in _FAULTS else "soft"
        return Mark(color=color, label="no pod" if worker.is_expected else "not scaled up")
    color = "bad" if problem in _FAULTS else _PHASES.get(worker.phase, "waits")
    return Mark(color=color, label=worker.phase if not problem or worker.phase == "Succeeded" else problem)


def _workers(status: JobStatus) -> str:
    classes = [' class="n"' if head in NUMBERS else "" for head in HEADS]
    heads = "".join(f"<th{each}>{head}</th>" for each, head in zip(classes, HEADS, strict=True))
    body = []
    for row in rows(status):
        color = _mark(row.first).color
        cells = [f"<td{each}>{escape(cell)}</td>" for each, cell in zip(classes, row.cells, strict=True)]
        details = "".join(f"<small>{escape(detail)}</small>" for detail in row.details)
        cells[0] = f'<td><span class="{color}">●</span> {escape(row.cells[0])}{details}</td>'
        body.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table><tr>{heads}</tr>{''.join(body)}</table>"


def _fact(fact: Fact) -> str:
    command = f"<br><code>{escape(fact.command)}</code>" if fact.command else ""
    return f'<tr><td class="k">{escape(fact.name)}</td><td>{escape(fact.text)}{command}</td></tr>'
