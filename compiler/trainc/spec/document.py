"""Check a TrainingJob document against the schema and read it."""

from __future__ import annotations

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.diagnostics.remedy import replace
from trainc.launchers import registry
from trainc.schema.accept import accepts
from trainc.schema.documents import add_launcher
from trainc.source.node import Mapping, Node, Scalar, scalar_text
from trainc.spec.job import TrainingJob, read_job
from trainc.spec.section import inside
from trainc.systems.registry import READABLE_KINDS, of_kind
from trainc.typenames import TYPE_CHECKING
from trainc.well_known import GROUP

if TYPE_CHECKING:
    from trainc.schema.problem import Named

API_VERSION, KIND = f"{GROUP}/v1alpha1", "TrainingJob"


def read(document: Node, named: Named | None = None) -> TrainingJob | list[Diagnostic]:
    """Return the job, or the document's errors; `named` returns the field of a foreign document at a position."""
    if accepts(document):
        return read_job(document)
    other = _not_a_job(document)
    if other:
        return [other]
    if _adds_launcher(document) and accepts(document):
        return read_job(document)
    from trainc.schema.explain import explain

    diagnostics = explain(document, named)
    assert diagnostics, "the fast tier refuses what the slow tier accepts"
    return diagnostics


def _adds_launcher(document: Node) -> bool:
    """Add the schema of a launcher of another distribution, if the document names one."""
    launch = inside(inside(document, "spec"), "launch") if isinstance(document, Mapping) else None
    names = [name for name in launch.entries if name not in registry.FIELDS] if launch else []
    plugins = [name for name in names if name in registry.plugins()]
    for name in plugins:
        add_launcher(name, registry.definitions(name))
    return bool(plugins)


def _not_a_job(document: Node) -> Diagnostic | None:
    """Return one error for a document of another kind, in place of one for each field."""
    start = document.span.first
    if not isinstance(document, Mapping):
        return error(codes.NOT_A_TRAINING_JOB, "a training job must be a mapping", start, expected=f"kind: {KIND}")
    for name, required in (("kind", KIND), ("apiVersion", API_VERSION)):
        value = document.get(name)
        expected = f"{name}: {required}"
        if value is None:
            return error(codes.NOT_A_TRAINING_JOB, f"the document has no `{name}`", start, expected=expected)
        if not isinstance(value, Scalar) or value.value != required:
            text = scalar_text(value)
            shown = f"`{text}`" if text else "empty" if isinstance(value, Scalar) else "a collection"
            message = f"`{name}` is {shown}, which trainc does not compile"
            help_, remedy = None, None
            if text.lower() == required.lower():
                help_, remedy = f"write `{required}`", replace(value.span, required, safe=True)
            system = of_kind(text, scalar_text(document.get("apiVersion"))) if name == "kind" else None
            if system and system.traits.foreign_description:
                message += f": {system.traits.foreign_description}"
                help_ = system.traits.foreign_help
            elif not help_ and name == "kind" and text.endswith("Job") and text not in ("Job", "CronJob"):
                help_ = f"use one of the job kinds that trainc reads: {', '.join(READABLE_KINDS)}"
            return error(
                codes.NOT_A_TRAINING_JOB, message, document.where(name), expected=expected, help=help_, remedy=remedy
            )
    return None
