"""Edit trees of nodes, which keep their positions, and find fields by position."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence, build_tree, start
from trainc.span import Place, Span


def child(node: Node | None, *path: str) -> Node | None:
    """Return the node at a path of keys, or None."""
    for key in path:
        node = node.get(key) if isinstance(node, Mapping) else None
    return node


def items(node: Node | None) -> list[Node]:
    """Return the items of a list; none for any other node."""
    return node.items if isinstance(node, Sequence) else []


def with_entry(node: Mapping, name: str, value: Node) -> Mapping:
    """Return a copy of a mapping with another value for one key."""
    entry = node.entries.get(name)
    key = entry.key if entry else Scalar(name, name, start(value))
    return Mapping({**node.entries, name: Entry(key, value)}, node.span)


def without_entries(node: Mapping, *names: str) -> Mapping:
    """Return a copy of a mapping without some of its keys."""
    return Mapping({key: entry for key, entry in node.entries.items() if key not in names}, node.span)


def rest_without(node: Mapping, *names: str) -> Mapping | None:
    """Return a copy of a mapping without some of its keys; None if no key is left."""
    rest = without_entries(node, *names)
    return rest if rest.entries else None


def with_path(node: Mapping, *path: str, value: Any) -> Mapping:
    """Return a tree with a value at a path; sections that are missing, or mere names, become mappings."""
    name, *rest = path
    if not rest:
        return with_entry(node, name, value if isinstance(value, Node) else build_tree(value, node.span.first))
    inner = node.get(name)
    inner = inner if isinstance(inner, Mapping) else Mapping({}, node.span.first)
    return with_entry(node, name, with_path(inner, *rest, value=value))


def without_path(node: Mapping, *path: str) -> Mapping:
    """Return a tree without the field at a path, and without sections that are empty then."""
    name, *rest = path
    inner = node.get(name)
    if not rest or not isinstance(inner, Mapping):
        return without_entries(node, name)
    inner = without_path(inner, *rest)
    return with_entry(node, name, inner) if inner.entries else without_entries(node, name)


LOSSY = (codes.IMPORT_DROPPED_FIELD, codes.ROLE_PODS_DIFFER)  # their positions have no field in the job file
EXPRESSED = (codes.IMPORT_CHANGED_FIELD, codes.IMPORT_CORRECTED)  # the job file has another value


class SourcePaths:
    """Field paths of the documents of a file, by position."""

    def __init__(self, documents: list[Node]) -> None:
        self._documents = documents
        self._paths: dict[Place, str] | None = None
        self._nested: _Nested | None = None

    def path(self, *spans: Span) -> str | None:
        """Return the field at the first span that belongs to one, else the innermost field around the first span."""
        if self._paths is None:
            self._paths = {place: path for document in self._documents for place, path in _places(document, "") if path}
        for span in spans:
            if span.place in self._paths:
                return self._paths[span.place]
        if self._nested is None:
            self._nested = _Nested(self._paths)
        around = self._nested.innermost(spans[0].place)
        return self._paths[around] if around else None


class _Nested:
    """Places of which one contains another or they are disjoint."""

    def __init__(self, places: Iterable[Place]) -> None:
        self._places = sorted(places, key=lambda place: (place[:3], (-place[3], -place[4])))
        self._parents: list[int] = []  # numbers of the places around, -1 for none
        number = -1
        for place in self._places:
            while number >= 0 and not contains(self._places[number], place):
                number = self._parents[number]
            self._parents.append(number)
            number = len(self._parents) - 1

    def innermost(self, inner: Place) -> Place | None:
        """Return the smallest place that contains another."""
        number = bisect_right(self._places, inner[:3], key=lambda place: place[:3]) - 1
        while number >= 0 and not contains(self._places[number], inner):
            number = self._parents[number]
        return self._places[number] if number >= 0 else None


def _places(node: Node, path: str) -> Iterator[tuple[Place, str]]:
    """Yield all fields in reverse order, so that the first path of an aliased node is the last one yielded."""
    inside: list[tuple[str, Node]] = []
    if isinstance(node, Sequence):
        inside = [(f"{path}[{index}]", item) for index, item in enumerate(node.items)]
    elif isinstance(node, Mapping):
        inside = [(f"{path}.{key}" if path else key, value) for key, value in node.items()]
    for name, value in reversed(inside):
        yield from _places(value, name)
    if not isinstance(node, Scalar) or not node.span.empty:
        yield node.span.place, path


def contains(outer: Place, inner: Place) -> bool:
    """Return whether a place is inside another."""
    return outer[0] == inner[0] and outer[1:3] <= inner[1:3] and inner[3:] <= outer[3:]


class Account(NamedTuple):
    """Numbers of values: those that are carried over, changed and not carried over are all of them."""

    carried_over: int
    changed: int
    dropped: int

    @property
    def total(self) -> int:
        """Number of all values."""
        return sum(self)

    def __str__(self) -> str:
        values = f"{self.total} value{'' if self.total == 1 else 's'}"
        return f"{values}: {self.carried_over} carried over, {self.changed} changed, {self.dropped} not carried over"


def count_values(
    documents: list[Node], jobs: Iterable[Node], diagnostics: Iterable[Diagnostic], changed: Iterable[Place] = ()
) -> Account:
    """Count the values of documents by what their translation to jobs does with them; aliases count once.

    A diagnostic at a field is about all values in it, except about a change, those that the job has. `changed` are the
    places of further values that change.
    """
    diagnostics = list(diagnostics)
    lossy = {diagnostic.span.place for diagnostic in diagnostics if diagnostic.code in LOSSY}
    expressed = {*changed, *(diagnostic.span.place for diagnostic in diagnostics if diagnostic.code in EXPRESSED)}
    places, job_places = (
        {place for node in nodes for place, _ in _values(node, set(), False)} for nodes in (documents, jobs)
    )
    dropped, other = (
        {place for document in documents for place, is_below in _values(document, marked, False) if is_below}
        for marked in (lossy, expressed)
    )
    other = {place for place in other if place in expressed or place not in job_places} - dropped
    return Account(len(places - dropped - other), len(other), len(dropped))


def _values(node: Node, marked: set[Place], is_below: bool) -> Iterator[tuple[Place, bool]]:
    """Yield the place of each scalar, and whether it is below an entry whose key or value is at a marked place."""
    if isinstance(node, Scalar):
        yield node.span.place, is_below
        return
    if isinstance(node, Mapping):
        children = [(entry.value, (entry.key.span, entry.value.span)) for entry in node.entries.values()]
    else:
        children = [(item, (item.span, item.span.first)) for item in node.items]
    for inner, spans in children:
        yield from _values(inner, marked, is_below or any(span.place in marked for span in spans))
