"""What a field decides in the plan of its job: rows of the summary, and events with their effects."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.compiled import Compiled
from trainc.driver import manifests
from trainc.plan.failures import FailureCase
from trainc.plan.formats.summary import summary
from trainc.plan.plan import Plan, plan
from trainc.provenance.origins import job_document
from trainc.provenance.variants import with_node
from trainc.report.document import Document, Fact, Items
from trainc.report.markdown import markdown
from trainc.schema.accept import accepts
from trainc.schema.paths import node_at
from trainc.source.node import Mapping
from trainc.spec.job import read_job
from trainc.well_known import SHM_PATH

# Names of rows, by the section of the job.
_ROWS = {
    "launch": ("launcher", "rendezvous"),
    "run": ("command", "process command"),
    "sharedMemory": (SHM_PATH,),
    "kind": ("objects",),
    "metadata": ("objects",),
}
_RESTARTS = "maxRestarts"


def plan_help(path: tuple[str, ...], job: Compiled, planned: Plan) -> str:
    """Return what the field at a path decides in the plan, as Markdown; empty if the plan does not depend on it."""
    section = path[1] if path[0] == "spec" and len(path) > 1 else path[0]
    facts = [Fact(name=name, text=value) for name, value in summary(planned) if name in _ROWS.get(section, ())]
    if "objects" in _ROWS.get(section, ()):
        facts.insert(0, Fact(name="back end", text=job.target.backend))
    if section in ("lifecycle", "scheduling") or path[-1] == _RESTARTS:
        events = _events(path, job, planned, only_changed=section == "scheduling")
        facts = [Fact(name=each.trigger, text=each.effect) for each in events]
    return markdown([Document(blocks=(Items(items=tuple(facts)),))]).strip() if facts else ""


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
