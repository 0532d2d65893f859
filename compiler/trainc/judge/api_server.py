"""What the API server rejects: objects of Kubernetes' own, also those that an operator creates from its resource."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.diagnostics.finding import Finding
from trainc.judge.position import remedy_at, span_at, steps_to
from trainc.plan.expand import OPEN
from trainc.plan.fields import Object, at, mapping, text
from trainc.plan.models import native_objects
from trainc.plan.sample import Sample
from trainc.schema.paths import Path
from trainc.source.node import Mapping, plain, scalar_text
from trainc.span import Place
from trainc.systems.registry import of_kind
from trainc.systems.shared.validation.companions import companion
from trainc.systems.shared.validation.enumerations import enumeration_errors
from trainc.systems.shared.validation.names import custom_errors, metadata_errors

_TEMPLATE = ("spec", "template")


class _FirstPods(Sample):
    def indexes(self, start: int, count: int, changes: Collection[int] = ()) -> Iterator[tuple[int, int]]:
        """Yield the first two indexes: the others are like the second."""
        yield from ((index, 1) for index in range(start, start + min(count, 2)))


class Wording(NamedTuple):
    """Starts of messages, with the kind of the rejected object: of one in the input, and of one that is created."""

    own: str
    created: str


OF_FILE = Wording("rejected by the API server", "the API server rejects its {}s")


def own_rejections(document: Mapping, wording: Wording, reported: set[Place]) -> Iterator[Diagnostic]:
    """Yield the errors of an object that the API server itself validates, but for places that have one."""
    start = wording.own.format(scalar_text(document.get("kind")))
    yield from rejected(start, _errors(plain(document)), document, reported)


def rejected(
    start: str, rejections: Iterable[Finding], document: Mapping, reported: set[Place]
) -> Iterator[Diagnostic]:
    """Yield the diagnostics of rejections, but for places that have one."""
    for rejection in rejections:
        if _is_new(document, rejection.path, reported):
            yield _diagnostic(start, rejection, document, rejection.path)


def pod_rejections(resource: Object, documents: list[Mapping], wording: Wording) -> Iterator[Diagnostic]:
    """Yield the errors of the objects that operators create from a resource, at their templates in the documents."""
    objects = [resource, *(plain(document) for document in documents[1:])]
    templates = [(document, path) for document in documents for path in _templates(plain(document), ())]
    reported: set[Place] = set()
    checked: set[str] = set()
    for document, path in templates:
        for rejection in metadata_errors(mapping(at(plain(document), *path), "metadata"), *path, "metadata"):
            if _is_new(document, rejection.path, reported):
                yield _diagnostic(wording.created.format("Pod"), rejection, document, rejection.path)
    for created in native_objects(objects, _FirstPods(objects))[len(objects) :]:
        kind, spec = text(created, "kind"), json.dumps(created.get("spec"), default=str)
        if spec in checked:
            continue
        checked.add(spec)
        for rejection in _errors(created, is_created=True):
            # Of the operator's, or known when the pod runs.
            if rejection.path[0] == "metadata" or OPEN in rejection.message:
                continue
            document, path = _place(rejection.path, created, templates, documents[0])
            if rejection.code is codes.VALUE_READ_OTHERWISE and len(steps_to(document, path)) <= len(path):
                continue  # of a value that the operator adds
            if _is_new(document, path, reported):
                yield _diagnostic(wording.created.format(kind), rejection, document, path)


def _is_new(document: Mapping, path: Path, reported: set[Place]) -> bool:
    """Return whether a field has no error yet, and note that it has one."""
    step = steps_to(document, path)[-1]
    places = {step.span.place, *(() if isinstance(step.node, Mapping) else step.places)}
    is_new = reported.isdisjoint(places)
    reported |= places
    return is_new


def _errors(resource: Object, *, is_created: bool = False) -> Iterator[Finding]:
    """Yield the errors of an object; the schema of one that a controller creates has not been checked yet."""
    system = of_kind(text(resource, "kind"), text(resource, "apiVersion"))
    if system is None:
        known = companion(resource)
        yield from known.errors(resource) if known is not None else ()
    elif "validation" in system.parts:
        yield from system.part("validation").errors(resource)
        yield from enumeration_errors(resource, system.traits.schema) if is_created else ()
    else:  # the API server's part of a custom resource, besides its schema
        yield from custom_errors(resource)


def _diagnostic(start: str, rejection: Finding, document: Mapping, path: Path) -> Diagnostic:
    remedy = remedy_at(document, path, rejection.fix) if rejection.fix and path else None
    where = span_at(document, path)
    if rejection.code is codes.VALUE_READ_OTHERWISE:
        return warning(rejection.code, rejection.message, where, help=rejection.help, remedy=remedy)
    start = "no pod starts" if rejection.code is codes.POD_NEVER_STARTS else start
    code, message = rejection.code or codes.REJECTED_BY_API_SERVER, f"{start}: {rejection.message}"
    related = [(span_at(document, _beside(path, rejection.path, place)), label) for place, label in rejection.related]
    return error(code, message, where, help=rejection.help, related=related, remedy=remedy)


def _beside(path: Path, created: Path, other: Path) -> Path:
    """Return the path of another field of a created object; `path` is in the document what `created` is in it."""
    shared = next(index for index, steps in enumerate(zip(created, other, strict=False)) if steps[0] != steps[1])
    return path[: len(path) - len(created) + shared] + other[shared:]


def _templates(value: Any, path: Path) -> Iterator[Path]:
    """Yield the paths of all pod templates."""
    if isinstance(value, dict):
        if isinstance(at(value, "spec", "containers"), list) and path:
            yield path
        for name, inner in value.items():
            yield from _templates(inner, (*path, name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _templates(inner, (*path, index))


def _paths_of(value: Any, path: Path, key: str | int, wanted: Any) -> Iterator[Path]:
    """Yield the paths that end with a key whose value is the wanted one."""
    if isinstance(value, dict):
        if key in value and value[key] == wanted:
            yield (*path, key)
        for name, inner in value.items():
            yield from _paths_of(inner, (*path, name), key, wanted)


def _place(path: Path, created: Object, templates: list[tuple[Mapping, Path]], head: Mapping) -> tuple[Mapping, Path]:
    """Return the document and the path of a field of a created object: where the same value is."""
    if "template" not in created.get("spec", {}) and text(created, "kind") != "Pod":
        return head, next(_paths_of(plain(head), (), path[1], at(created, *path[:2])), ()) + path[2:]
    candidates = []
    for document, template in templates:
        if path[:2] == _TEMPLATE:
            own = (*template, *path[2:])
        elif text(created, "kind") == "Pod":
            own = (*template, *path)
        else:  # of a template of the Job
            own = (*template[:-2], *path)
        steps = steps_to(document, own)
        is_same = at(plain(document), *own) == at(created, *path)
        candidates.append((is_same, len(steps) - len(own), document, own))
    if not candidates:
        return head, ()
    best = max(candidates, key=lambda candidate: candidate[:2])
    return best[2], best[3]
