"""Effect of a field in its job: world, totals of resources, rows and events of the plan, defaults of a section."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction

from trainc.compiled import Compiled
from trainc.driver import manifests
from trainc.plan.failures import FailureCase
from trainc.plan.formats.summary import summary
from trainc.plan.plan import Plan, plan
from trainc.plan.world import WorldSize
from trainc.provenance.manifests import job_origins
from trainc.provenance.origins import job_document
from trainc.provenance.variants import with_node
from trainc.report.document import Document, Fact, Items
from trainc.report.markdown import markdown
from trainc.schema.accept import accepts
from trainc.schema.fields import Field, field
from trainc.schema.paths import node_at
from trainc.source.node import Mapping
from trainc.spec.job import read_job
from trainc.well_known import SHM_PATH

_MAXIMUM_WORKERS = 4  # that are listed; of more, the first ones and the last
_COUNTS = ("workers", "nprocPerNode", "numProcesses", "processesPerNode")
# Names of rows, by the section of the job.
_ROWS = {
    "launch": ("launcher", "rendezvous"),
    "run": ("command", "process command"),
    "sharedMemory": (SHM_PATH,),
    "kind": ("objects",),
    "metadata": ("objects",),
}
_RESTARTS = "maxRestarts"
_RULE = re.compile(r"(?<=\. )(Default\b[^:]*: .*?)\.(?: |$)")  # sentence of a description


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
        return _plan_help(path, job, planned)
    return "\n".join(describe(path, planned)) if planned.workers and planned.world_sizes else ""


def _plan_help(path: tuple[str, ...], job: Compiled, planned: Plan) -> str:
    """Return what the field at a path decides in the plan, as Markdown; empty if the plan does not depend on it."""
    section = path[1] if path[0] == "spec" and len(path) > 1 else path[0]
    facts = [Fact(name=name, text=value) for name, value in summary(planned) if name in _ROWS.get(section, ())]
    if "objects" in _ROWS.get(section, ()):
        facts.insert(0, Fact(name="back end", text=job.target.backend))
    if section in ("lifecycle", "scheduling") or path[-1] == _RESTARTS:
        events = _events(path, job, planned, only_changed=section == "scheduling")
        facts = [Fact(name=each.trigger, text=each.effect) for each in events]
    return facts_in_markdown(facts)


def _events(path: tuple[str, ...], job: Compiled, planned: Plan, only_changed: bool) -> Iterator[FailureCase]:
    """Yield the events whose effect depends on the field; all events if none does, unless `only_changed`."""
    others = _events_without(path, job)
    changed = [each for each in planned.failure_cases if others is not None and each not in others]
    yield from changed if changed or only_changed else planned.failure_cases


def _events_without(path: tuple[str, ...], job: Compiled) -> tuple[FailureCase, ...] | None:
    """Return the events of the job without a field, None if it is not valid then."""
    document = job_document(job.spec)
    section, name = path[:-1], path[-1]
    node = node_at(document, section)
    if not isinstance(node, Mapping):
        return None
    rest = Mapping({key: entry for key, entry in node.entries.items() if key != name}, node.span)
    other = with_node(document, section, rest)
    if not accepts(other):
        return None
    try:
        return plan([each.data() for each in manifests(read_job(other), job.target)]).failure_cases
    except Exception:  # of a plug-in, which may not expect a job without the field
        return None


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
    return f"{float(value):.10g}{unit}{'s' * (unit.startswith(' ') and value != 1)}"


def _size(size: WorldSize) -> str:
    workers = f"{size.pods} worker{'s' * (size.pods != 1)}"
    return workers if size.world is None else f"{workers}, {size.world} process{'es' * (size.world != 1)}"


def default_help(path: tuple[str, ...], job: Compiled) -> str:
    """Return the defaults in the manifests of the fields that the section at a path lacks, as Markdown.

    It is empty for a field that is no section.
    """
    if path[:1] != ("spec",) or not isinstance(node_at(job_document(job.spec), path), Mapping):
        return ""
    section = ".".join(path)
    values: dict[str, list[str]] = {}
    for manifest in job_origins(job):
        for each in manifest:
            if each.rule is not None and each.rule.field.startswith(f"{section}."):
                values.setdefault(each.rule.field, []).append(each.leaf.text)
    facts = [
        Fact(name=name.removeprefix(f"{section}."), text=_value(texts, default_rule(field(name))))
        for name, texts in sorted(values.items())
    ]
    return f"Defaults:\n\n{facts_in_markdown(facts)}" if facts else ""


def default_rule(own: Field) -> str:
    """Return the sentence of a field's description that says its default; empty without one."""
    match = _RULE.search(own.description)
    return match[1] if match else ""


def _value(texts: list[str], rule: str) -> str:
    return f"{', '.join(dict.fromkeys(texts))}{f' ({rule})' if rule else ''}"


def facts_in_markdown(facts: Iterable[Fact]) -> str:
    """Return facts as a list; empty without any."""
    items = Items(items=tuple(facts))
    return markdown([Document(blocks=(items,))]).strip() if items.items else ""
