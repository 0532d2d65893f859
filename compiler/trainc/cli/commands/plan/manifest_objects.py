"""Kubernetes manifests, which trainc did not compile, as objects to plan."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from trainc.cli.input_files import read_files
from trainc.cli.parameters import InvalidParameter
from trainc.cli.settings import Values
from trainc.compiled import Outcome
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, in_order
from trainc.plan.fields import Object, with_name, with_namespace
from trainc.plan.group_jobs import group_jobs
from trainc.source.load import MANIFESTS_BYTES, load
from trainc.source.node import Mapping, Node, Sequence, mappings, plain, scalar_text
from trainc.span import Span
from trainc.systems.registry import DEFAULT
from trainc.systems.shared.reader.documents import report_template
from trainc.target import DEFAULT as DEFAULT_MINOR
from trainc.target import Target
from trainc.well_known import KIND

_MAX_DEPTH = 5  # of nested Lists and AppWrappers


def read_manifest_objects(files: list[str], values: Values, target: Target) -> tuple[list[list[Object]], Outcome]:
    """Return the objects of manifests by job, none after an error, and the diagnostics of the files."""
    for option, is_set in (
        ("--backend", target.backend != DEFAULT),
        ("--set", values.sets),
        ("--values", values.files),
        ("--kubernetes-version", target.minor != DEFAULT_MINOR),
        ("--cluster-domain", target.cluster_domain),
    ):
        if is_set:
            raise InvalidParameter("conflicts with --manifests, which compiles nothing", option)
    sources, diagnostics = read_files(files, MANIFESTS_BYTES)
    objects: list[Object] = []
    for source in sources:
        documents, problems = load(source, MANIFESTS_BYTES)
        for item in chain.from_iterable(map(_objects, documents)):
            if isinstance(item, Diagnostic):
                problems.append(item)
            else:
                objects.append(item)
        if not documents and not problems:
            problems.append(error(codes.EMPTY_INPUT, "the input contains no manifest", Span(source, 1, 1, 1, 2)))
        template = report_template(source, documents, problems)
        diagnostics += problems if template is None else [template]
    outcome = Outcome(jobs=[], diagnostics=in_order(diagnostics))
    if not outcome.ok:
        return [], outcome
    return group_jobs([with_namespace(each, target.namespace) for each in objects]), outcome


def _objects(document: Node, depth: int = 0) -> Iterator[Object | Diagnostic]:
    """Yield the objects of a document, with those inside Lists and AppWrappers, or errors."""
    if not isinstance(document, Mapping):
        yield error(codes.WRONG_TYPE, "a Kubernetes object must be a mapping", document.span)
        return
    items = document.get("items")
    kind = scalar_text(document.get("kind"))
    if kind.endswith("List") and isinstance(items, Sequence) and depth < _MAX_DEPTH:
        for item in items.items:
            yield from _objects(item, depth + 1)
        return
    if kind == "AppWrapper":
        spec = document.get("spec")
        for component in mappings(spec.get("components")) if isinstance(spec, Mapping) else []:
            yield from _objects(component.get("template") or component, depth + 1)
        return
    metadata = document.get("metadata")
    fields = ("name", "generateName")
    name, prefix = (metadata.get(each) if isinstance(metadata, Mapping) else None for each in fields)
    if kind == KIND:
        message = f"`{KIND}` is a job file of trainc, not a manifest"
        yield error(codes.INVALID_VALUE, message, document.where("kind"), help="remove `--manifests`")
    elif not kind:
        yield error(codes.MISSING_FIELD, "a Kubernetes object must have a `kind`", document.span)
    elif not scalar_text(name) and not scalar_text(prefix):
        yield error(codes.MISSING_FIELD, "`metadata.name` is missing", document.where("kind"))
    else:
        yield with_name(plain(document), f"{scalar_text(prefix)}xxxxx")  # as the API server generates it
