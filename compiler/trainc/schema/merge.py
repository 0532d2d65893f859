"""Merge of documents: values of the upper one replace those of the lower one, and keep their positions."""

from __future__ import annotations

from collections.abc import Callable

from trainc.schema.fields import field_at
from trainc.source.node import Entry, Mapping, Node, Scalar

Path = tuple[str, ...]
Predicate = Callable[[Path], bool]


def _never(path: Path) -> bool:
    return False


def merge(
    lower: Node, upper: Node, is_choice: Predicate = _never, keeps_null: Predicate = _never, path: Path = ()
) -> Node:
    """Return the values of both trees: mappings are merged, all other values of `upper` replace those of `lower`.

    `null` removes a value of `lower`, as in a values file of Helm; a key without a value doesn't. In a mapping that
    `is_choice`, which has one field of several, a field of `upper` also replaces another of `lower`. In a mapping that
    `keeps_null`, a patch, `null` also stays, because it removes a value of what is patched.
    """
    if not isinstance(lower, Mapping) or not isinstance(upper, Mapping):
        return upper
    entries = dict(lower.entries)
    if is_choice(path) and upper.entries:
        entries = {name: entry for name, entry in entries.items() if name in upper.entries}
    for name, entry in upper.entries.items():
        old = entries.get(name)
        if old is None:
            entries[name] = entry
        elif is_null(entry.value) and not keeps_null(path):
            del entries[name]
        else:
            value = merge(old.value, entry.value, is_choice, keeps_null, (*path, name))
            entries[name] = Entry(entry.key, value)
    return Mapping(entries, upper.span)


def is_null(node: Node) -> bool:
    """Return whether a value is written as `null` or `~`; a key without a value is not."""
    return isinstance(node, Scalar) and node.value is None and bool(node.text.strip())


def merge_jobs(lower: Node, upper: Node) -> Node:
    """Return a job document, or some of its fields, with the values of `upper` over those of `lower`."""
    return merge(lower, upper, _is_choice, _is_patch)


def _is_choice(path: Path) -> bool:
    field = field_at(path)
    return field is not None and field.resolved.get("maxProperties") == 1


def _is_patch(path: Path) -> bool:
    """Return whether a mapping is part of `podTemplate`, in which null removes a field of the pod."""
    return path[:2] == ("spec", "podTemplate")
