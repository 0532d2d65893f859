"""Our own language: a document is checked against the schema and read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.schema.accept import accepts
from trainc.source.node import Mapping, Node, Scalar
from trainc.spec.job import TrainingJob, read_job
from trainc.well_known import GROUP

if TYPE_CHECKING:
    from trainc.schema.findings import Named

API_VERSION, KIND = f"{GROUP}/v1alpha1", "TrainingJob"


def read(document: Node, named: Named | None = None) -> TrainingJob | list[Diagnostic]:
    """The job, or what is wrong with the document; `named` says what another system calls its places."""
    if accepts(document):
        return read_job(document)
    other = _not_a_job(document)
    if other:
        return [other]
    from trainc.schema.explain import explain

    found = explain(document, named)
    assert found, "the fast tier refuses what the slow tier accepts"
    return found


def _not_a_job(document: Node) -> Diagnostic | None:
    """Something else altogether gets one error, not one for each field."""
    start = document.span.first
    if not isinstance(document, Mapping):
        return error(codes.NOT_A_TRAINING_JOB, "a training job is a mapping", start, expected=f"kind: {KIND}")
    for name, wanted in (("kind", KIND), ("apiVersion", API_VERSION)):
        value = document.get(name)
        if value is None:
            message = f"the document has no `{name}`"
            return error(codes.NOT_A_TRAINING_JOB, message, start, expected=f"{name}: {wanted}")
        if not isinstance(value, Scalar) or value.value != wanted:
            shown = (value.text or "empty") if isinstance(value, Scalar) else "a collection"
            message = f"`{name}` is {shown}, which trainc does not compile"
            near = isinstance(value, Scalar) and value.text.lower() == wanted.lower()
            help_ = f"did you mean `{wanted}`?" if near else _other_systems(value) if name == "kind" else None
            return error(
                codes.NOT_A_TRAINING_JOB, message, document.where(name), expected=f"{name}: {wanted}", help=help_
            )
    return None


def _other_systems(kind: Node) -> str | None:
    """For a job of a system that trainc doesn't read: whose it does."""
    from trainc.systems.registry import READABLE_KINDS

    is_a_job = isinstance(kind, Scalar) and kind.text.endswith("Job") and kind.text not in ("Job", "CronJob")
    return f"of other systems' jobs trainc reads {', '.join(READABLE_KINDS)}" if is_a_job else None
