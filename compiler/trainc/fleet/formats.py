"""Formats of a fleet: a table with a total, and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from trainc.fleet.job import NO_FABRIC, FleetJob
from trainc.report import json
from trainc.report.document import Document, Fact, Items, Row, Table
from trainc.report.json import fields

_HEADS = ("job", "system", "cluster", "pods", "GPUs", "hours", "GPU-hours", "fabric", "owner")
_NUMBERS = ("pods", "GPUs", "hours", "GPU-hours")
_OPTIONAL = ("cluster", "owner")  # columns that are omitted if no job has a value
_MISSING = "–"


def report(jobs: Sequence[FleetJob]) -> Document:
    """Return the table of jobs and their total."""
    names = Counter(job.name for job in jobs)
    rows = [_cells(job, is_unique=names[job.name] == 1) for job in jobs]
    shown = [
        place
        for place, head in enumerate(_HEADS)
        if head not in _OPTIONAL or any(row[place] != _MISSING for row in rows)
    ]
    table = Table(
        heads=tuple(_HEADS[place] for place in shown),
        rows=tuple(Row(cells=tuple(row[place] for place in shown)) for row in rows),
        numbers=_NUMBERS,
    )
    total = Items(items=(Fact(text=_total(jobs)),))
    return Document(blocks=(table, total) if rows else (total,))


def to_json(jobs: Sequence[FleetJob]) -> str:
    """Format the jobs as a list for programs; `hours` and `gpuHours` are null without a limit."""
    return json.to_json([_values(job) for job in jobs])


def _values(job: FleetJob) -> dict[str, Any]:
    own = fields(job, "name", "namespace?", "file", "system", "cluster?", "pods", "gpus", "hours", "gpu_hours")
    return own | fields(job, "fabric", "queue?", "owner?", "labels")


def _cells(job: FleetJob, is_unique: bool) -> tuple[str, ...]:
    name = job.name if is_unique or not job.namespace else f"{job.namespace}/{job.name}"
    fabric = _MISSING if job.fabric == NO_FABRIC else job.fabric
    numbers = (str(job.pods), str(job.gpus), _amount(job.hours), _amount(job.gpu_hours))
    return (name, job.system, job.cluster or _MISSING, *numbers, fabric, job.owner or _MISSING)


def _amount(value: Fraction | None) -> str:
    return "no limit" if value is None else f"{float(value):,.6g}"


def _total(jobs: Sequence[FleetJob]) -> str:
    return f"{_jobs(len(jobs))}, {sum(job.gpus for job in jobs):,} GPUs, {_bound(jobs)}"


def _bound(jobs: Sequence[FleetJob]) -> str:
    """Return the bound on the GPU-hours of all jobs: there is none if a job with GPUs has no time limit."""
    known = sum((job.gpu_hours for job in jobs if job.gpu_hours is not None), Fraction(0))
    unlimited = sum(job.gpu_hours is None for job in jobs)
    amount = f"{float(known):,.9g}"
    if not unlimited:
        return f"{amount} GPU-hours at most"
    verb = "has" if unlimited == 1 else "have"
    reason = f"{_jobs(unlimited)} with GPUs {verb} no time limit"
    return f"no limit on GPU-hours: {reason}" + (f"; {amount} at most for the others" if known else "")


def _jobs(number: int) -> str:
    return f"{number:,} job{'' if number == 1 else 's'}"
