"""Values in scenario files: each kind, named as error messages and docs do, with its parser."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from trainc.source.node import Mapping, Node, Scalar, Sequence

COUNT, SECONDS, TEXT, TRUE = "a whole number", "a number of seconds", "a string", "true"
SIZE, RESULT, COUNTS = "a number of ranks, full or min", "complete or failed", "a list of whole numbers"
SECONDS_BY_POD = "a mapping from worker indexes to seconds"
_MAX = 10**6


def _number(node: Node, *types: type) -> Any:
    value = node.value if isinstance(node, Scalar) else None
    return value if isinstance(value, types) and not isinstance(value, bool) and 0 <= value < _MAX else None  # type: ignore[operator]


def _count(node: Node) -> int | None:
    value: int | None = _number(node, int)
    return value


def _seconds(node: Node) -> float | None:
    value = _number(node, int, float)
    return None if value is None else float(value)


def _text(node: Node) -> str | None:
    return node.text if isinstance(node, Scalar) and isinstance(node.value, str) and node.text else None


def _word(*words: str) -> Callable[[Node], str | None]:
    return lambda node: node.text if isinstance(node, Scalar) and node.text in words else None


def _counts(node: Node) -> tuple[int, ...] | None:
    return _all(map(_count, node.items)) if isinstance(node, Sequence) else None


def _seconds_by_pod(node: Node) -> dict[int, float] | None:
    if not isinstance(node, Mapping) or not all(name.isascii() and name.isdecimal() for name in node.entries):
        return None
    values = _all(map(_seconds, (value for _, value in node.items())))
    return None if values is None else {int(name): value for name, value in zip(node.entries, values, strict=True)}


def _all(values: Iterable[Any]) -> tuple[Any, ...] | None:
    parsed = tuple(values)
    return None if None in parsed else parsed


# A parser returns None for a value of another kind.
PARSERS: dict[str, Callable[[Node], Any]] = {
    COUNT: _count,
    SECONDS: _seconds,
    TEXT: _text,
    SIZE: lambda node: _word("full", "min")(node) or _count(node) or None,
    RESULT: _word("complete", "failed"),
    TRUE: lambda node: True if isinstance(node, Scalar) and node.value is True else None,
    COUNTS: _counts,
    SECONDS_BY_POD: _seconds_by_pod,
}
