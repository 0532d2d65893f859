"""Files of Kubernetes manifests, as `kubectl get -o yaml`, a renderer or a person writes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from trainc.cli.inputs import read_files
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, in_order
from trainc.driver import Outcome
from trainc.plan.group_jobs import group_jobs
from trainc.plan.plan import Plan, plan
from trainc.source.load import load
from trainc.source.node import Mapping, Node, Sequence, mappings, plain, scalar_text
from trainc.span import Span
from trainc.spec.document import KIND
from trainc.systems.registry import DEFAULT
from trainc.target import DEFAULT as DEFAULT_MINOR
from trainc.target import Target

_LISTS = 5  # one in the other


def plans(files: list[str], sets: list[str], target: Target) -> tuple[list[Plan], Outcome]:
    """A plan of each job, and what is wrong with the files; with an error there are no plans."""
    for option, given in (
        ("--backend", target.backend != DEFAULT),
        ("--set", sets),
        ("--kubernetes-version", target.minor != DEFAULT_MINOR),
        ("--cluster-domain", target.cluster_domain),
    ):
        if given:
            message = "it is for jobs, which are compiled; manifests are planned as they stand"
            raise typer.BadParameter(message, param_hint=option)
    sources, said = read_files(files)
    objects: list[dict[str, Any]] = []
    for source in sources:
        documents, problems = load(source)
        said += problems
        for document in documents:
            for found in _objects(document):
                if isinstance(found, Diagnostic):
                    said.append(found)
                else:
                    objects.append(found)
        if not documents and not problems:
            said.append(error(codes.EMPTY_INPUT, "the input contains no manifest", Span(source, 1, 1, 1, 2)))
    outcome = Outcome(jobs=[], diagnostics=in_order(said))
    if not outcome.ok:
        return [], outcome
    return [plan(one) for one in group_jobs([_placed(one, target.namespace) for one in objects])], outcome


def _objects(document: Node, depth: int = 0) -> Iterator[dict[str, Any] | Diagnostic]:
    """A document's objects, out of Lists and AppWrappers, which Kueue's users wrap jobs in."""
    if not isinstance(document, Mapping):
        yield error(codes.WRONG_TYPE, "this is no Kubernetes object: it is no mapping", document.span)
        return
    inside = document.get("items")
    kind = scalar_text(document.get("kind"))
    if kind.endswith("List") and isinstance(inside, Sequence) and depth < _LISTS:
        for item in inside.items:
            yield from _objects(item, depth + 1)
        return
    if kind == "AppWrapper":
        spec = document.get("spec")
        for component in mappings(spec.get("components")) if isinstance(spec, Mapping) else []:
            yield from _objects(component.get("template") or component, depth + 1)
        return
    metadata = document.get("metadata")
    name = metadata.get("name") if isinstance(metadata, Mapping) else None
    if kind == KIND:
        message = f"this is a {KIND} of trainc's, and no manifest"
        yield error(codes.INVALID_VALUE, message, document.where("kind"), help="leave out --manifests")
    elif not kind:
        yield error(codes.MISSING_FIELD, "this is no Kubernetes object: it has no kind", document.span)
    elif not scalar_text(name):
        yield error(codes.MISSING_FIELD, "the object has no metadata.name", document.where("kind"))
    else:
        yield plain(document)


def _placed(one: dict[str, Any], namespace: str | None) -> dict[str, Any]:
    """With the namespace that kubectl would give it."""
    if not namespace or one["metadata"].get("namespace"):
        return one
    return {**one, "metadata": {**one["metadata"], "namespace": namespace}}
