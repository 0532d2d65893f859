"""Paths and copies of JSON-like trees."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

Path = tuple[str | int, ...]


def field_paths(tree: Any, prefix: Path = ()) -> Iterator[Path]:
    """Yield the path of every field and item, not that of the root."""
    items: Any = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, child in items:
        yield (*prefix, key)
        yield from field_paths(child, (*prefix, key))


def with_value(tree: Any, path: Path, value: Any) -> Any:
    """Return a copy with another value at a path; it shares the unchanged parts."""
    if not path:
        return value
    changed = copy.copy(tree)
    changed[path[0]] = with_value(tree[path[0]], path[1:], value)
    return changed
