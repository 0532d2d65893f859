"""Load the entry of a cluster and check it against its schema."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.cluster.entry import MAXIMUM_NODES, Entry, node_count
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, error
from trainc.plan.fields import Object, mapping, text
from trainc.project.versions import version_problem
from trainc.quantity import is_quantity
from trainc.schema.documents import CLUSTER, document
from trainc.schema.errors import document_errors
from trainc.source.load import MAXIMUM_BYTES, decode, load_document
from trainc.source.node import Mapping, Node, mappings, plain, scalar_text
from trainc.span import Source, Span
from trainc.target import backend_problem
from trainc.well_known import API_VERSION, CLUSTER_KIND

_AMOUNTS = ("allocatable", "used", "quota")


def load_entry(path: str) -> Entry:
    """Return the entry of a file. Raises Rejected with all errors of the file, and OSError if it can't be read."""
    with open(path, "rb") as file:
        return read_entry(decode(path, file.read(MAXIMUM_BYTES + 1)))


def read_entry(source: Source) -> Entry:
    """Return the entry of a text. Raises Rejected with all its errors."""
    empty, several = "the entry of the cluster is empty", "the entry of a cluster has one YAML document"
    return entry_of(load_document(source, codes.NOT_A_CLUSTER, empty, several))


def entry_of(tree: Node, title: str = "") -> Entry:
    """Return the entry of a document, in errors called `title`, or else its file. Raises Rejected with all of them."""
    errors = _kind_errors(tree) or _schema_errors(tree, title or tree.span.source.name)
    if not errors and isinstance(tree, Mapping):
        errors = list(_value_errors(tree))
    if errors or not isinstance(tree, Mapping):
        raise Rejected(*errors)
    content: Object = plain(tree)
    return Entry(
        name=text(content, "metadata", "name"),
        file=tree.span.source.name,
        spec=mapping(content, "spec"),
        places=_places(tree.get("spec")),
    )


def _places(spec: Node | None) -> dict[str, Span]:
    if not isinstance(spec, Mapping):
        return {}
    versions = spec.get("versions")
    controllers = dict(versions.items()) if isinstance(versions, Mapping) else {}
    nodes = {"backend": spec.get("backend"), "kubernetes": spec.get("kubernetes"), **controllers}
    return {name: node.span for name, node in nodes.items() if node is not None}


def _kind_errors(tree: Node) -> list[Diagnostic]:
    help_ = f"write `apiVersion: {API_VERSION}` and `kind: {CLUSTER_KIND}`"
    kind = scalar_text(tree.get("kind")) if isinstance(tree, Mapping) else ""
    if kind == CLUSTER_KIND:
        return []
    message = (
        f"the file has `kind: {kind}`, not the entry of a cluster" if kind else "the file is no entry of a cluster"
    )
    where = tree.where("kind") if isinstance(tree, Mapping) and kind else tree.span.first
    return [error(codes.NOT_A_CLUSTER, message, where, help=help_)]


def _schema_errors(tree: Node, title: str) -> list[Diagnostic]:
    """Return the errors; fields of the `spec` outside it are one mistake, not a missing `spec`, too."""
    errors = document_errors(tree, CLUSTER, title)
    of_spec = document(CLUSTER)["properties"]["spec"]["properties"]
    entries = tree.entries.items() if isinstance(tree, Mapping) else ()
    outside = {entry.key.span.place for name, entry in entries if name in of_spec}
    return [
        each.replace(advice=("write it in `spec`",), expected=None) if each.span.place in outside else each
        for each in errors
        if not outside or each.code is not codes.MISSING_FIELD
    ]


def _value_errors(tree: Mapping) -> Iterator[Diagnostic]:
    """Yield amounts that are no quantities, contradictory numbers of nodes, and unknown versions."""
    spec = tree.get("spec")
    yield from _target_errors(spec) if isinstance(spec, Mapping) else ()
    total = 0
    for section in ("nodes", "namespaces", "queues"):
        for item in mappings(spec.get(section)) if isinstance(spec, Mapping) else []:
            for field in _AMOUNTS:
                yield from _amount_errors(item.get(field))
    for shape in mappings(spec.get("nodes")) if isinstance(spec, Mapping) else []:
        content: Object = plain(shape)
        count, racks = node_count(content), sum(mapping(content, "racks", "nodes").values())
        total += count
        if racks > count:
            message = f"`racks` has {racks} nodes, but the shape has {count}"
            yield error(codes.INVALID_VALUE, message, shape.where("racks"), help="correct `count`, or remove it")
    if total > MAXIMUM_NODES and isinstance(spec, Mapping):
        message = f"the cluster has {total:,} nodes, more than {MAXIMUM_NODES:,}"
        yield error(codes.INVALID_VALUE, message, spec.where("nodes"), help="leave out nodes that no job uses")


def _target_errors(spec: Mapping) -> Iterator[Diagnostic]:
    """Yield errors of the back end and the versions of jobs for the cluster."""
    backend = scalar_text(spec.get("backend"))
    if backend and (problem := backend_problem(backend)):
        yield error(codes.INVALID_VALUE, problem, spec.where("backend"))
    versions = spec.get("versions")
    stated = [("kubernetes", spec.get("kubernetes"), spec.where("kubernetes"))] if "kubernetes" in spec.entries else []
    entries = versions.entries.items() if isinstance(versions, Mapping) else ()
    for name, node, where in [*stated, *((name, each.value, each.value.span) for name, each in entries)]:
        if problem := version_problem(name, scalar_text(node)):
            yield error(codes.INVALID_VALUE, problem, where)


def _amount_errors(amounts: Node | None) -> Iterator[Diagnostic]:
    for name, entry in amounts.entries.items() if isinstance(amounts, Mapping) else ():
        quantity = scalar_text(entry.value)
        if not is_quantity(quantity) or quantity.startswith("-"):
            message = f"`{quantity}` is not an amount of {name}"
            yield error(codes.INVALID_VALUE, message, entry.value.span, help="write a quantity such as 8, 500m or 64Gi")
