"""Status as an HTML page: the report with the plan's picture, which has the state of each worker, and conditions."""

from __future__ import annotations

from trainc.plan.formats.svg import svg
from trainc.plan.plan import Plan
from trainc.report.document import Row, Table
from trainc.report.html import page, section
from trainc.report.json import iso
from trainc.status.formats.report import report
from trainc.status.formats.rows import mark
from trainc.status.status import JobStatus


def html_page(statuses: list[JobStatus]) -> str:
    """Format all jobs, each with its picture."""
    names = ", ".join(status.name for status in statuses)
    return page(f"{names} · trainc status", map(_job, statuses))


def _job(status: JobStatus) -> str:
    marks = {each.planned.position: mark(each) for each in status.workers if each.planned}
    picture = svg([_picture(status.plan)], marks) if status.plan.workers else ""
    document = report(status)
    return section(document.replace(blocks=(*document.blocks, _conditions(status))), picture)


def _conditions(status: JobStatus) -> Table:
    heads = ("type", "status", "reason", "message", "since")
    times = (iso(each.time) if each.time else "" for each in status.conditions)
    rows = (
        Row(cells=(each.type, each.status, each.reason, each.message, time))
        for each, time in zip(status.conditions, times, strict=True)
    )
    return Table(title="Conditions", heads=heads, rows=tuple(rows))


def _picture(plan: Plan) -> Plan:
    """Return the plan without findings, which follow from objects that the input lacks, and without other Services."""
    return plan.replace(findings=(), services=tuple(each for each in plan.services if each.pods))
