"""Values in scenario files: each kind, named as error messages and docs do, with its parser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trainc.source.node import Mapping, Node, Scalar, Sequence

COUNT, SECONDS, TEXT, TRUE = "a whole number", "a number of seconds", "a string", "true"
SIZE, RESULT, COUNTS = "a number of ranks, full or min", "complete or failed", "a list of whole numbers"
SECONDS_BY_POD = "a mapping from worker indexes to seconds"
_MAX = 10**6


def _number(node: Node, *types: type) -> Any:
    value = node.value if isinstance(node, Scalar) else None
    return value if isinstance(value, types) and not isinstance(value, bool) and 0 <= value < _MAX else None  # type: ignore[operator]


def _count(node: Node) -> Any:
    return _number(node, int)


def _seconds(node: Node) -> Any:
    return _number(node, int, float)


def _word(node: Node, *words: str) -> str | None:
    return node.text if isinstance(node, Scalar) and node.text in words else None


def _counts(node: Node) -> tuple[int, ...] | None:
    counts = tuple(map(_count, node.items)) if isinstance(node, Sequence) else (None,)
    return None if None in counts else counts


def _seconds_by_pod(node: Node) -> dict[int, float] | None:
    if not isinstance(node, Mapping) or not all(name.isascii() and name.isdecimal() for name in node.entries):
        return None
    delays = {int(name): _seconds(value) for name, value in node.items()}
    return None if None in delays.values() else delays


# A parser returns None for a value of another kind.
PARSERS: dict[str, Callable[[Node], Any]] = {
    COUNT: _count,
    SECONDS: _seconds,
    TEXT: lambda node: node.text or None if isinstance(node, Scalar) and isinstance(node.value, str) else None,
    SIZE: lambda node: _word(node, "full", "min") or _count(node) or None,
    RESULT: lambda node: _word(node, "complete", "failed"),
    TRUE: lambda node: True if isinstance(node, Scalar) and node.value is True else None,
    COUNTS: _counts,
    SECONDS_BY_POD: _seconds_by_pod,
}
