"""Check a TrainingJob document against the schema and read it."""

from __future__ import annotations

from trainc.diagnostics.diagnostic import Diagnostic
from trainc.launchers import registry
from trainc.schema.accept import accepts
from trainc.schema.documents import add_launcher
from trainc.source.node import Mapping, Node, Scalar
from trainc.spec.job import TrainingJob, read_job
from trainc.spec.section import inside
from trainc.typenames import TYPE_CHECKING
from trainc.well_known import API_VERSION, KIND

if TYPE_CHECKING:
    from trainc.schema.problem import Named


def read(document: Node, named: Named | None = None) -> TrainingJob | list[Diagnostic]:
    """Return the job, or the document's errors; `named` returns the field of a foreign document at a position."""
    if accepts(document):
        return read_job(document)
    if not isinstance(document, Mapping) or not _has_kind(document):
        from trainc.spec.other_kind import kind_errors

        return kind_errors(document)
    if _adds_launcher(document) and accepts(document):
        return read_job(document)
    from trainc.schema.explain import explain  # jsonschema doubles the time of a cold start

    diagnostics = explain(document, named)
    assert diagnostics, "the fast tier refuses what the slow tier accepts"
    return diagnostics


def _has_kind(document: Mapping) -> bool:
    values = [document.get("kind"), document.get("apiVersion")]
    return [value.value for value in values if isinstance(value, Scalar)] == [KIND, API_VERSION]


def _adds_launcher(document: Mapping) -> bool:
    """Add the schema of a launcher of another distribution, if the document names one."""
    launch = inside(inside(document, "spec"), "launch")
    names = [name for name in launch.entries if name not in registry.FIELDS] if launch else []
    plugins = [name for name in names if name in registry.plugins()]
    for name in plugins:
        add_launcher(name, registry.definitions(name))
    return bool(plugins)
