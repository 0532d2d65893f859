"""Judge the objects of one job: document trees and a target → rejections at the positions of the trees' values.

The API server validates the schema first, then the object; an operator sees only what the API server accepts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.diagnostics.message import Message
from trainc.judge.api_server import Wording, own_rejections, pod_rejections, rejected
from trainc.judge.position import remedy_at, span_at
from trainc.kubernetes_fields import RELAXED_NAMES, new_fields_of
from trainc.plan.fields import Object, at, with_name
from trainc.plan.sample import EVERY_POD
from trainc.schema.errors import resource_errors
from trainc.schema.paths import Path
from trainc.source.node import Mapping, all_mappings, mappings, plain, scalar_text
from trainc.span import Place
from trainc.systems.registry import System
from trainc.systems.shared.validation.companions import companion
from trainc.target import Target


def judge(
    documents: list[Mapping], system: System, target: Target, wording: Wording, reported: set[Place]
) -> Iterator[Diagnostic]:
    """Yield the diagnostics of a system's resource, which is the first document, and of the other objects of its job.

    The places of fields with a rejection are added to `reported`: no field is reported twice.
    """
    document = documents[0]
    for diagnostic in _schema_errors(documents, system, target, wording):
        reported |= {diagnostic.span.place, *(each.span.place for each in diagnostic.related)}
        if diagnostic.code is not codes.UNKNOWN_FIELD or system.traits.rejects_unknown_fields:
            yield diagnostic
        elif diagnostic.advice:  # a misspelled field
            yield diagnostic.replace(code=codes.IGNORED_BY_OPERATOR, severity="warning")
    if "validation" in system.parts:
        for each in documents:
            if scalar_text(each.get("kind")) == system.kind:
                yield from own_rejections(each, wording, reported)
                if target.states_version:
                    yield from _new_fields(each, system, target)
    elif "model" in system.parts and scalar_text(document.get("apiVersion")) in system.traits.api_versions:
        yield from own_rejections(document, wording, reported)
        # The API server generates the name before it asks a validating webhook:
        # https://github.com/kubernetes/apiserver/blob/v0.36.0/pkg/storage/names/generate.go
        resource = plain(document)
        prefix = str(at(resource, "metadata", "generateName") or "")
        resource = with_name(resource, f"{prefix[:58]}xxxxx")
        rejections = list(_operator_errors(resource, documents, system, reported))
        yield from rejections
        if not reported and all(each.severity != "error" for each in rejections):
            yield from pod_rejections(resource, documents, wording)


def companion_rejections(documents: Iterable[Mapping], wording: Wording) -> Iterator[Diagnostic]:
    """Yield the API server's errors of the Services, autoscalers, claims and disruption budgets beside a job.

    Objects of other kinds have none.
    """
    for document in documents:
        known = companion(plain(document))
        if known is not None:
            reported = set[Place]()
            has_spec = isinstance(document.get("spec"), Mapping)
            errors = resource_errors(document, known.schema, True, is_native=True) if has_spec else []
            for diagnostic in errors:
                reported.add(diagnostic.span.place)
                yield diagnostic
            start = wording.own.format(scalar_text(document.get("kind")))
            yield from rejected(start, known.errors(plain(document)), document, reported)


def _new_fields(document: Mapping, system: System, target: Target) -> Iterator[Diagnostic]:
    """Yield the fields that the target Kubernetes lacks or ignores."""
    for field in new_fields_of(document, system.part("validation").NEW_FIELDS, target.minor):
        yield warning(codes.KUBERNETES_TOO_OLD, field.message, field.span, help=field.help)


def _schema_errors(documents: list[Mapping], system: System, target: Target, wording: Wording) -> Iterator[Diagnostic]:
    """Yield the errors of a resource and its parts by their schemas."""
    version = scalar_text(documents[0].get("apiVersion"))
    target = target.for_resource(system.traits, version)
    if not target.schema or version != system.traits.api_versions[0]:
        return
    # Of variables' names, which newer versions relax, and which are checked with the pods.
    relaxed = set(_variable_names(documents)) if target.minor >= RELAXED_NAMES else set()
    for document, diagnostic in _resource_errors(documents, system, target):
        if diagnostic.code is codes.INVALID_VALUE and diagnostic.span.place in relaxed:
            continue
        is_by_rule = diagnostic.code is codes.REJECTED_BY_API_SERVER  # of the CRD
        start = wording.own.format(scalar_text(document.get("kind")))
        yield diagnostic.replace(text=Message("{}: {}", start, diagnostic.text)) if is_by_rule else diagnostic


def _variable_names(documents: list[Mapping]) -> Iterator[Place]:
    for node in (node for document in documents for node in all_mappings(document)):
        names = (each.get("name") for each in mappings(node.get("env")))
        yield from (name.span.place for name in names if name is not None and isinstance(plain(name), str))


def _resource_errors(documents: list[Mapping], system: System, target: Target) -> Iterator[tuple[Mapping, Diagnostic]]:
    """Yield the errors of each document with it."""
    head, *parts = documents
    strict, helps = system.traits.rejects_unknown_fields, system.traits.value_help
    is_native = not system.traits.operator
    yield from ((head, each) for each in resource_errors(head, target.schema, strict, is_native, helps))
    group = scalar_text(head.get("apiVersion")).partition("/")[0]
    for part in parts:
        if target.pod_schema is not None:
            if scalar_text(part.get("apiVersion")).partition("/")[0] == group:  # not Services and claims next to it
                yield from ((part, each) for each in resource_errors(part, target.pod_schema[0], strict, helps=helps))
        elif scalar_text(part.get("kind")) == system.kind:
            yield from ((part, each) for each in resource_errors(part, target.schema, strict, is_native=True))


def _operator_errors(
    resource: Object, documents: list[Mapping], system: System, reported: set[Place]
) -> Iterator[Diagnostic]:
    document, *parts = documents
    output = system.part("model").operator_output(resource, list(map(plain, parts)), EVERY_POD)
    for rejection in output.faults:
        path: Path = rejection.path
        if path == ("metadata", "name") and at(plain(document), *path) is None:
            path = ("metadata", "generateName")
        is_condition = rejection in output.conditions
        message = rejection.message if is_condition else f"rejected by {system.traits.operator}: {rejection.message}"
        place = next((part for part in parts if scalar_text(part.get("kind")) == rejection.part), document)
        where = span_at(place, path)
        if path and where.place in reported:  # the API server asks no operator
            continue
        remedy = remedy_at(place, path, rejection.fix) if rejection.fix else None
        severity = warning if is_condition else error  # only the cluster knows
        yield severity(codes.REJECTED_BY_OPERATOR, message, where, help=rejection.help, remedy=remedy)
