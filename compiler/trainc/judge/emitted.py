"""Judge the objects that trainc emits for a job, with the positions of their values in the job file."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.rule import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.emit.manifest import NOWHERE, Manifest
from trainc.emit.render import Planned
from trainc.judge.api_server import Wording, rejected
from trainc.judge.objects import companion_rejections, judge
from trainc.judge.position import span_at
from trainc.source.node import plain, scalar_text
from trainc.span import Place, Span
from trainc.spec.job import TrainingJob
from trainc.systems.registry import find
from trainc.systems.shared.validation.pod import spec_errors
from trainc.target import Target

_FEW = 2  # objects of the system's kind: the others differ in their numbers only


def few(objects: list[Planned], kind: str) -> list[Planned]:
    """Return the objects that are judged: the first ones of the system's kind, and all others."""
    own = [each for each in objects if each.kind == kind]
    return objects if len(own) <= _FEW else [each for each in objects if each.kind != kind or each in own[:_FEW]]


def rejections(
    spec: TrainingJob, target: Target, manifests: list[Manifest], known: list[Diagnostic]
) -> Iterator[Diagnostic]:
    """Yield what the API server or the operator rejects in the manifests of a job, but no warnings where rules warn."""
    system = find(target.backend)
    of_job = Wording("the API server rejects the {}", f"the API server rejects the {{}}s of the {system.kind}")
    trees = [each.tree for each in sorted(manifests, key=lambda each: each.kind != system.kind)]
    if scalar_text(trees[0].get("kind")) != system.kind:
        return  # paused Pods don't exist
    places = {each.span.place for each in known}
    judged = judge(trees, system, target, of_job, set[Place]())
    for rejection in (*judged, *companion_rejections(trees, of_job)):
        diagnostic = in_job_file(_without_edits_of_object(rejection), spec)
        if diagnostic.severity == "error" or diagnostic.span.place not in places:
            yield diagnostic


def pod_rejections(context: RuleContext, known: list[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield what the API server rejects in the pods of a job that has other errors, and so no objects.

    Nothing if podTemplate removes parts of the pods that trainc needs, or a runtime of the cluster has other parts.
    """
    pod = context.pod
    if context.has_runtime or any(each.code is codes.POD_TEMPLATE_CONFLICT for each in known):
        return
    errors = [each for each in spec_errors(plain(pod.spec)) if span_at(pod.spec, each.path) is not pod.generated]
    places = {each.span.place for each in known}
    for rejection in rejected("the API server rejects the pods", errors, pod.spec, places):
        yield _without_edits_of_object(rejection)


def _without_edits_of_object(diagnostic: Diagnostic) -> Diagnostic:
    """Return a diagnostic without edits of fields that only the object has."""
    remedy = diagnostic.remedy
    steps = remedy.steps if remedy is not None and not _is_nowhere(diagnostic.span) else ()
    return diagnostic.replace(fix=None, remedy=remedy if steps and all(step[0] != "put" for step in steps) else None)


def in_job_file(diagnostic: Diagnostic, spec: TrainingJob) -> Diagnostic:
    """Return a diagnostic about an object with the position of the job's name for values that have none."""
    name = spec.metadata.where("name")
    related = tuple(each.replace(span=name) if _is_nowhere(each.span) else each for each in diagnostic.related)
    return diagnostic.replace(span=name if _is_nowhere(diagnostic.span) else diagnostic.span, related=related)


def _is_nowhere(span: Span) -> bool:
    return span.source is NOWHERE.source
