"""JSON Schemas as documents."""

from __future__ import annotations

from typing import Any


def references(schema: Any) -> set[str]:
    """Return the targets of all `$ref` in a schema."""
    pending, targets = [schema], set()
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            targets |= {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
            pending += value.values()
        elif isinstance(value, list):
            pending += value
    return targets
