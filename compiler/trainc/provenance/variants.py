"""Variants of a job: documents that differ from it in one value, name, choice or missing field, and other targets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from trainc.record import Record
from trainc.schema.accept import accepts
from trainc.schema.documents import JOB
from trainc.schema.fields import Field, field_at
from trainc.schema.paths import Path
from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence, Value
from trainc.span import Source, Span
from trainc.target import Target
from trainc.typenames import Literal

_MAX_DEPTH = 2  # of sections that the file lacks
_UNUSUAL = 23  # a number that is the default of no field, in a manifest by no accident
_DIGIT = re.compile(r"\d")
_TARGET_OPTIONS = {"namespace": "--namespace", "cluster_domain": "--cluster-domain"}  # by the field of Target
OPTIONS = frozenset(_TARGET_OPTIONS.values())
_NUMBER = re.compile(r"\d+")


class Variant(Record):
    """Job with a change at a path.

    A `value` is another value or name in the same place, a `condition` another choice, a limit such as 0, or no field
    at all, a `default` a value for a field that the file lacks. `span` is of what was changed, `text` what was there,
    or the value of a default.
    """

    path: Path
    kind: Literal["value", "condition", "default"]
    span: Span
    text: str
    document: Node


def variants(root: Mapping) -> Iterator[Variant]:
    """Yield the variants of a job's name and its spec. Not all are valid."""
    yield from _variants(root, root, ())


def _variants(root: Mapping, node: Node, path: Path) -> Iterator[Variant]:
    field = field_at(path)
    if isinstance(node, Scalar):
        values, limits = list(_other_values(node, field)), list(_limits(node))
        yield from _at(root, path, "value", node.span, node.text, values)
        yield from _at(root, path, "condition", node.span, node.text, limits)
    elif isinstance(node, Sequence):
        for index, item in enumerate(node.items):
            others = Sequence([*node.items[:index], *node.items[index + 1 :]], node.span)
            span = item.span if isinstance(item, Scalar) else item.span.first
            for variant in _at(root, path, "condition", span, "", [others]):
                yield variant.replace(path=(*path, index))
            yield from _variants(root, item, (*path, index))
    else:
        yield from _of_mapping(root, node, path, field)


def _of_mapping(root: Mapping, node: Mapping, path: Path, field: Field | None) -> Iterator[Variant]:
    for key, entry in node.entries.items():
        inner, span = (*path, key), entry.key.span
        other_names = field.alternatives(key) if field else ()
        empty = Mapping({}, entry.value.span)
        names = [_renamed(node, key, name, value) for name in other_names for value in (entry.value, empty)]
        if field is None or not any(child.name == key for child in field.children()):  # a name of the user
            suffixes = [_renamed(node, key, key + "x", entry.value)]
            yield from (each.replace(path=inner) for each in _at(root, path, "value", span, key, suffixes))
        without = Mapping({name: other for name, other in node.entries.items() if name != key}, node.span)
        changes = [*names, *([without] if path else [])]
        yield from (each.replace(path=inner) for each in _at(root, path, "condition", span, key, changes))
        if path or key in ("metadata", "spec"):
            yield from _variants(root, entry.value, inner)
    if field is not None and path:
        for missing, value in absent_fields(field, node):
            at = (*path, *missing)
            document = with_node(root, at, value)
            yield Variant(path=at, kind="default", span=node.span.first, text=value.text, document=document)


def _at(
    root: Mapping, path: Path, kind: Literal["value", "condition"], span: Span, text: str, nodes: Iterable[Node]
) -> Iterator[Variant]:
    for node in nodes:
        yield Variant(path=path, kind=kind, span=span, text=text, document=with_node(root, path, node))


def _renamed(node: Mapping, key: str, name: str, value: Node) -> Mapping:
    old = node.entries[key].key
    renamed = (name, Entry(Scalar(name, name, old.span), value))
    return Mapping(dict(renamed if each == key else (each, entry) for each, entry in node.entries.items()), node.span)


def _other_values(node: Scalar, field: Field | None) -> Iterator[Scalar]:
    """Yield other values of the same field: every other word of an enumeration, or the first that is valid."""
    words = field.words if field else ()
    value, candidates = node.value, list[Value]()
    if isinstance(value, bool):
        candidates = [not value]
    elif isinstance(value, int | float):
        candidates = [value + 1, value - 1]
    elif isinstance(value, str) and value in words:
        candidates = [word for word in words if word != value]
    elif isinstance(value, str):
        counted = _NUMBER.sub(lambda match: str(int(match[0]) + 1), value, count=1)
        candidates = [value + "x", counted, "x" + value]
    for candidate in candidates:
        other = Scalar(candidate, str(candidate), node.span)
        if candidate != value and (field is None or accepts(other, field.schema, field.base)):
            yield other
            if value not in words:
                return


def _limits(node: Scalar) -> Iterator[Scalar]:
    """Yield the numbers 0 and 1: with one worker there is no rendezvous."""
    if isinstance(node.value, int) and not isinstance(node.value, bool):
        yield from (Scalar(number, str(number), node.span) for number in (0, 1) if number != node.value)


def with_node(root: Node, path: Path, value: Node) -> Node:
    """Return a tree with another node at a path; missing mappings are created."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        assert isinstance(root, Sequence)
        items = list(root.items)
        items[step] = with_node(items[step], rest, value)
        return Sequence(items, root.span)
    entries = root.entries if isinstance(root, Mapping) else {}
    entry = entries.get(step)
    inner = with_node(entry.value if entry else Mapping({}, root.span), rest, value)
    key = entry.key if entry else Scalar(step, step, root.span.first)
    return Mapping({**entries, step: Entry(key, inner)}, root.span)


def stated_options(target: Target) -> Iterator[tuple[str, str, Span]]:
    """Yield the options that a project file or a cluster's entry states, with their values and positions."""
    for name, where in target.places.items():
        if name == "backend":
            yield "--backend", target.backend, where
        elif name == "kubernetes":
            yield "--kubernetes-version", target.kubernetes_version, where
        else:
            yield "--target", f"{name}={target.versions[name]}", where


def option_variants(target: Target) -> Iterator[tuple[str, Span, Target]]:
    """Yield the value of each option that the command has, the option's span, and a target with another value."""
    for field, option in _TARGET_OPTIONS.items():
        value = getattr(target, field)
        if value is not None:
            yield value, Span(Source(option, ""), 1, 1, 1, 1), target.replace(**{field: f"{value}x"})


def absent_fields(field: Field, node: Mapping) -> Iterator[tuple[Path, Scalar]]:
    """Yield the path below a mapping and a value of each scalar field that it could have."""
    for child in field.children():
        if child.base == JOB and child.name not in node.entries and field.allows(child.name, node.entries):
            for path, value in _values(child, (child.name,)):
                yield path, Scalar(value, str(value), node.span.first)


def _values(field: Field, path: Path) -> Iterator[tuple[Path, Value]]:
    if field.base != JOB or field.is_list:
        return
    for value in dict.fromkeys([*field.words, *_examples(field)]):
        yield path, value
    if len(path) < _MAX_DEPTH:
        for child in field.children():
            yield from _values(child, (*path, child.name))


def _examples(field: Field) -> Iterator[Value]:
    types = field.types
    if "boolean" in types:
        yield from (True, False)
    if "integer" in types:
        yield _UNUSUAL
    for example in field.examples:
        if isinstance(example, str):
            yield example
            yield _DIGIT.sub("7", example)  # the example may be what the default is for this job
