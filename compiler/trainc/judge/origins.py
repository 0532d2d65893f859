"""Origins of an object's values in the job file that the object was made of.

Strings, and what a patch has kept, have their positions. Of all else the same value in the file is the origin: an
object has most values of a job unchanged, in fields of the same names. A value that nothing in the file has gets the
position of what is around it, at last that of the whole job.
"""

from __future__ import annotations

from collections.abc import Iterable

from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence
from trainc.span import Span

# Steps to a value, from the inside: of an item of a list its index and its name.
Steps = tuple[tuple[str | int, str], ...]
Candidate = tuple[Steps, Entry | Node]  # a field with its value, an item of a list or the document


class Origins:
    """Values of a job file by their contents."""

    def __init__(self, job: Mapping, start: Span) -> None:
        self.start = start
        self._sources = {id(start.source)}
        self._known: dict[object, list[Candidate]] = {}
        self._collections: list[Candidate] = []
        self._add(job, (), job)

    def trace(self, tree: Mapping) -> Mapping:
        """Return an object whose values have the positions of the same values in the job file."""
        traced = self._traced(tree, (), Scalar("", "", self.start)).value
        assert isinstance(traced, Mapping)
        return traced

    def _add(self, node: Node, steps: Steps, place: Entry | Node) -> None:
        self._sources.add(id(node.span.source))
        self._known.setdefault(_contents(node), []).append((steps, place))
        if not isinstance(node, Scalar):
            self._collections.append((steps, place))
        for step, inner, entry in _children(node):
            self._add(inner, (step, *steps), entry)

    def _is_here(self, span: Span) -> bool:
        """Return whether a position is in the job file: a patch has kept it."""
        return id(span.source) in self._sources

    def _traced(self, node: Node, steps: Steps, key: Scalar, around: Span | None = None) -> Entry:
        """Return a value with its origin; one with the span of the collection around it has none of its own."""
        is_here = self._is_here(node.span)
        if is_here and node.span is not around:
            return Entry(key, self._with_children(node, steps, key, node.span))
        origin = _nearest(steps, self._known.get(_contents(node), ()), 1)
        if origin is not None:
            return Entry(_key(key, origin), _with_spans(node, _value(origin)))
        span = node.span if is_here else self.start
        if isinstance(node, Scalar):
            return Entry(key, Scalar(node.value, node.text, span))
        origin = _nearest(steps, self._collections, 2)  # with another name of the training container, for example
        if origin is None or type(_value(origin)) is not type(node):
            return Entry(key, self._with_children(node, steps, key, span))
        key = _key(key, origin)
        return Entry(key, self._with_children(node, steps, key, _value(origin).span))

    def _with_children(self, node: Node, steps: Steps, key: Scalar, span: Span) -> Node:
        if isinstance(node, Scalar):
            return node
        inner = {}
        for step, child, entry in _children(node):
            name = entry.key if isinstance(entry, Entry) else key
            name = name if self._is_here(name.span) else Scalar(name.value, name.text, self.start)
            inner[step[0]] = self._traced(child, (step, *steps), name, node.span)
        if isinstance(node, Sequence):
            return Sequence([each.value for each in inner.values()], span)
        return Mapping({str(name): each for name, each in inner.items()}, span)


def _nearest(steps: Steps, candidates: Iterable[Candidate], least: int) -> Entry | Node | None:
    """Return the field with the most similar path."""
    rated = ((_similarity(steps, other), place) for other, place in candidates)
    best = max(rated, key=lambda candidate: candidate[0], default=(0.0, None))
    return best[1] if best[0] >= least else None


def _key(key: Scalar, origin: Entry | Node) -> Scalar:
    return Scalar(key.value, key.text, origin.key.span) if isinstance(origin, Entry) else key


def _value(origin: Entry | Node) -> Node:
    return origin.value if isinstance(origin, Entry) else origin


def _contents(node: Node) -> object:
    """Return what two equal values have in common: scalars as text, since Kubernetes' objects have quantities as it."""
    if isinstance(node, Scalar):
        return str(node.value)
    if isinstance(node, Sequence):
        return tuple(_contents(item) for item in node.items)
    return frozenset((name, _contents(value)) for name, value in node.items())


def _children(node: Node) -> list[tuple[tuple[str | int, str], Node, Entry | Node]]:
    if isinstance(node, Mapping):
        return [((name, name), entry.value, entry) for name, entry in node.entries.items()]
    items = node.items if isinstance(node, Sequence) else []
    return [((index, _name(item)), item, item) for index, item in enumerate(items)]


def _name(item: Node) -> str:
    name = item.get("name") if isinstance(item, Mapping) else None
    return name.text if isinstance(name, Scalar) else ""


def _similarity(steps: Steps, other: Steps) -> float:
    """Return how many fields at the end of two paths are the same; an item at another index is half a step."""
    total = 0.0
    has_field = False
    for (step, name), (other_step, other_name) in zip(steps, other, strict=False):
        if step == other_step or (name and name == other_name):
            total += 1
            has_field = has_field or isinstance(step, str) or bool(name)
        elif isinstance(step, int) and isinstance(other_step, int):
            total += 0.5
        else:
            break
    return total if has_field else 0.0


def _with_spans(node: Node, origin: Node) -> Node:
    """Return a value with the positions of an equal value."""
    if isinstance(node, Mapping) and isinstance(origin, Mapping):
        entries = {}
        for name, entry in node.entries.items():
            other = origin.entries[name]
            key = Scalar(entry.key.value, entry.key.text, other.key.span)
            entries[name] = Entry(key, _with_spans(entry.value, other.value))
        return Mapping(entries, origin.span)
    if isinstance(node, Sequence) and isinstance(origin, Sequence):
        pairs = zip(node.items, origin.items, strict=True)
        return Sequence([_with_spans(item, other) for item, other in pairs], origin.span)
    assert isinstance(node, Scalar)
    return Scalar(node.value, node.text, origin.span)
