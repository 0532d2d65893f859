"""Remedies of rules as changes of the document that has their places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainc.diagnostics.remedy import Fix, Remedy
from trainc.schema.edits import Editor
from trainc.schema.paths import Path, is_missing, node_at
from trainc.schema.text_edits import Changes
from trainc.source.node import Mapping, Node, Scalar, Sequence, build_tree, plain
from trainc.span import Place, Span

ENV = ("spec", "env")


def fix_of_remedy(remedy: Remedy, editor: Editor, where: Span) -> Fix | None:
    """Return the edits of a remedy for a diagnostic at a position; None if a place is no value of the file."""
    before = [each for each in editor.documents if (each.span.line, each.span.column) <= (where.line, where.column)]
    try:
        changes = _changes(remedy, before[-1])
    except (LookupError, TypeError, AttributeError, ValueError):
        return None
    return editor.fix(changes, before[-1])


def _changes(remedy: Remedy, root: Node) -> Changes:
    """Raise LookupError for a place without a value, and ValueError for a field that is set already."""
    places = dict(_places(root, ()))
    remove: list[Path] = []
    put: list[tuple[Path, Node]] = []
    rewrite: list[tuple[Path, Span, str]] = []
    for action, place, argument in remedy.steps:
        path = places.get(place.place, ()) if place is not None else ()
        if not path and action not in ("put", "rewrite"):
            raise LookupError
        if action == "rewrite" and not path and place is not None:
            rewrite.append((_around(root, place), place, argument))
            continue
        if action == "remove":
            remove.append(_item(path))
        elif action in ("replace", "rewrite"):
            put.append(_replaced(root, path, argument))
        elif action == "rename":
            remove.append(path)
            put.append(_added(root, (*path[:-1], argument), node_at(root, path)))
        elif action == "move":
            remove.append(path)
            put += _moved(root, path, argument)
        else:
            field, value = argument
            put.append(_added(root, field, value))
    return Changes(remove=tuple(remove), put=tuple(put), rewrite=tuple(rewrite), is_safe=remedy.is_safe)


def _places(node: Node, path: Path) -> Iterator[tuple[Place, Path]]:
    """Yield the places of all keys, values and items with their paths; inner ones first."""
    if isinstance(node, Mapping):
        for name, entry in node.entries.items():
            yield from _places(entry.value, (*path, name))
            yield entry.key.span.place, (*path, name)
    elif isinstance(node, Sequence):
        for number, item in enumerate(node.items):
            yield from _places(item, (*path, number))
    if not node.span.empty:
        yield node.span.place, path


def _around(root: Node, place: Span) -> Path:
    """Return the path of the string that contains a place."""
    start, end = (place.line, place.column), (place.end_line, place.end_column)
    for (_, line, column, end_line, end_column), path in _places(root, ()):
        node = node_at(root, path)
        is_value = isinstance(node, Scalar) and node.span.line == line and node.span.column == column
        if is_value and (line, column) <= start and end <= (end_line, end_column):
            return path
    raise LookupError


def _item(path: Path) -> Path:
    """Return the path of the item that a name belongs to, else the path."""
    return path[:-1] if path[-1] == "name" and isinstance(path[-2], int) else path


def _replaced(root: Node, path: Path, value: Any) -> tuple[Path, Node]:
    old, owner, index = node_at(root, path), node_at(root, path[:-1]), path[-1]
    if not isinstance(old, Scalar):
        raise TypeError
    if not isinstance(value, tuple):
        return path, build_tree(value, old.span)
    if not isinstance(owner, Sequence) or not isinstance(index, int):
        raise TypeError
    return path[:-1], build_tree([*owner.items[:index], *value, *owner.items[index + 1 :]], old.span)


def _moved(root: Node, path: Path, target: str) -> Iterator[tuple[Path, Node]]:
    """Yield the value at its new path, unless it is there."""
    new: Path = (*path[:-2], target[2:], path[-1]) if target.startswith("..") else tuple(target.split("."))
    value, there = node_at(root, path), node_at(root, new)
    if value is None or there is None or plain(value) != plain(there):
        yield _added(root, new, value)


def _added(root: Node, path: Path, value: Any) -> tuple[Path, Node]:
    env = node_at(root, ENV)
    if path[:2] == ENV and isinstance(env, Sequence):
        return (*ENV, len(env.items)), build_tree({"name": path[2], "value": str(value)}, root.span)
    if value is None or not is_missing(root, path):
        raise ValueError
    return path, build_tree(value, root.span)
