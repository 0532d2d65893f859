"""Paths of fields in a document: `("spec", "volumes", 0, "name")` is `spec.volumes[0].name`."""

from __future__ import annotations

import re

from trainc.source.node import Mapping, Node, Scalar, Sequence

Path = tuple[str | int, ...]


def dotted(path: Path) -> str:
    """Return a path as a user writes it; that of the document is empty."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")


def pattern(path: Path) -> str:
    """Return the path of a field in the schema: `spec.volumes[].name`; a variable of the mapping is `spec.env.*`."""
    if path[:2] == ("spec", "env") and isinstance(path[-1], str) and len(path) == 3:
        return "spec.env.*"
    return re.sub(r"\[\d+\]", "[]", dotted(path))


def resolve_path(field: str, base: Path) -> Path:
    """Return the path of a field; it is relative to `base` unless it starts with `spec.` or `metadata.`.

    A resource has a domain, `google.com/tpu`: it is one step.
    """
    section, dot, resource = field.rpartition("resources.") if "/" in field else ("", "", "")
    steps = (*f"{section}resources".split("."), resource) if dot else (field,) if "/" in field else field.split(".")
    return tuple(steps) if steps[0] in ("spec", "metadata") else (*base, *steps)


def node_at(root: Node, path: Path) -> Node | None:
    """Return the node at a path, or None."""
    node: Node | None = root
    for step in path:
        if isinstance(step, int):
            node = node.items[step] if isinstance(node, Sequence) else None
        else:
            node = node.get(step) if isinstance(node, Mapping) else None
    return node


def is_missing(root: Node, path: Path) -> bool:
    """Return whether a document has no value at a path; a key without a value has none."""
    node = node_at(root, path)
    return node is None or (isinstance(node, Scalar) and node.value is None)
