"""What a field's value becomes in the job: ranks of the workers, sizes of the world, totals of the resources."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from trainc.compiled import Compiled
from trainc.lsp.plan_help import plan_help
from trainc.plan.plan import Plan, plan
from trainc.plan.world import WorldSize

_MAXIMUM_WORKERS = 4  # that are listed; of more, the first ones and the last
_COUNTS = ("workers", "nprocPerNode", "numProcesses", "processesPerNode")


def job_at(jobs: list[Compiled], first: int, last: int) -> Compiled | None:
    """Return the job of the document between two lines; of a sweep the first."""
    own = [each for each in jobs if first <= each.spec.metadata.node.span.line <= last]
    return next(iter(own), None)


def world_help(path: tuple[str, ...], job: Compiled) -> str:
    """Return what the field at a path becomes in a job that has no error, as Markdown; empty for most fields."""
    section = path[1] if path[:1] == ("spec",) and len(path) > 1 else ""
    describe = _ranks if path[-1] in _COUNTS else {"elastic": _sizes, "resources": _resources}.get(section)
    planned = plan([each.data() for each in job.planned_manifests()])
    if describe is None or not section:
        return plan_help(path, job, planned)
    return "\n".join(describe(path, planned)) if planned.workers and planned.world_sizes else ""


def _ranks(_: tuple[str, ...], planned: Plan) -> Iterator[str]:
    """Yield the world and the ranks of workers."""
    size = planned.initial_size
    yield f"{_size(size)}:\n"
    workers = [each for each in planned.workers if each.ranks is not None and not each.pod.on_scale_up]
    shown = workers if len(workers) <= _MAXIMUM_WORKERS else [*workers[: _MAXIMUM_WORKERS - 1], workers[-1]]
    for worker in shown:
        first, last = worker.ranks or (0, 0)
        ranks = f"rank {first}" if first == last else f"ranks {first}–{last}"  # an en dash
        yield f"- `{worker.pod.hostname}`: {ranks} of {size.world}"


def _sizes(_: tuple[str, ...], planned: Plan) -> Iterator[str]:
    for size in planned.world_sizes:
        yield f"- {size.name}: {_size(size)}"


def _resources(path: tuple[str, ...], planned: Plan) -> Iterator[str]:
    """Yield the number of GPUs or CPUs, or the memory, of all workers."""
    size = planned.initial_size
    name = path[2] if len(path) > 2 else ""
    total, unit = {
        "gpu": (size.gpus, " GPU"),
        "cpu": (size.cpus, " CPU"),
        "memory": (size.memory / 2**30, "Gi"),
    }.get(name, (Fraction(0), ""))
    if total:
        workers = f"each of {size.pods} workers" if size.pods > 1 else "1 worker"
        in_all = f", {_amount(total, unit)} in all" if size.pods > 1 else ""
        yield f"{_amount(total / size.pods, unit)} for {workers}{in_all}"


def _amount(value: Fraction, unit: str) -> str:
    """Return a number with its unit: `1 GPU`, `8 GPUs`, `3Gi`."""
    return f"{_number(value)}{unit}{'s' * (unit.startswith(' ') and value != 1)}"


def _size(size: WorldSize) -> str:
    workers = f"{size.pods} worker{'s' * (size.pods != 1)}"
    return workers if size.world is None else f"{workers}, {size.world} process{'es' * (size.world != 1)}"


def _number(value: Fraction) -> str:
    return f"{float(value):.10g}"
