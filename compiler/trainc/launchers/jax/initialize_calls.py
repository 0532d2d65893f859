"""Calls of jax.distributed.initialize in a program's text.

https://github.com/jax-ml/jax/blob/jax-v0.10.2/jax/_src/distributed.py
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainc.record import Record

# Positions of the arguments that tell a process its place in the world.
_PLACES = {"num_processes": 1, "process_id": 2}
_MAX_TEXT = 200_000  # characters, beyond which a file is not parsed
_FULL_NAME = "jax.distributed.initialize"
_BARE = re.compile(r"\bjax\.distributed\.initialize\(\s*\)")
_CALL = re.compile(r"\bjax\.distributed\.initialize\(")


class BareCall(Record):
    """Call without arguments that it needs: its first and last index in the text, and the names of the arguments."""

    start: int
    end: int
    missing: tuple[str, ...]


def bare_calls(text: str) -> Iterator[BareCall]:
    """Yield the calls that lack arguments; none if another call in the text has them.

    A call that detects the cluster by a method of its own, or has arguments that the text doesn't show, lacks none.
    """
    if "distributed" not in text or "initialize" not in text or len(text) > _MAX_TEXT:
        return
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        yield from _in_other_text(text)
        return
    names = _names(tree)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _name(node.func) in names]
    if all(_lacks(call) for call in calls):
        for call in calls:
            start = _index(text, call.lineno, call.col_offset)
            end = _index(text, call.end_lineno or call.lineno, call.end_col_offset or 0)
            yield BareCall(start=start, end=end, missing=_lacks(call))


def _index(text: str, line: int, column: int) -> int:
    """Return the index of a position of Python's parser, whose columns are bytes."""
    lines = text.splitlines(keepends=True)
    return sum(map(len, lines[: line - 1])) + len(lines[line - 1].encode()[:column].decode(errors="replace"))


def _names(tree: ast.AST) -> set[str]:
    """Return how the text calls the function: by its full name, and by those that it imports."""
    names = {_FULL_NAME}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in ("jax", "jax.distributed"):
            wanted, rest = ("distributed", ".initialize") if node.module == "jax" else ("initialize", "")
            names |= {f"{alias.asname or alias.name}{rest}" for alias in node.names if alias.name == wanted}
        if isinstance(node, ast.Import):
            aliases = {alias.asname for alias in node.names if alias.name == "jax" and alias.asname}
            names |= {f"{alias}.distributed.initialize" for alias in aliases}
    return names


def _name(node: ast.expr) -> str:
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _lacks(call: ast.Call) -> tuple[str, ...]:
    keywords = {keyword.arg for keyword in call.keywords}
    is_open = None in keywords or any(isinstance(each, ast.Starred) for each in call.args)
    if is_open or "cluster_detection_method" in keywords or len(call.args) > 4:
        return ()
    return tuple(name for name, place in _PLACES.items() if name not in keywords and len(call.args) <= place)


def _in_other_text(text: str) -> Iterator[BareCall]:
    """Yield the calls without any argument in a text that is no Python, such as a shell's script."""
    bare = list(_BARE.finditer(text))
    if len(bare) == len(_CALL.findall(text)):
        for match in bare:
            yield BareCall(start=match.start(), end=match.end(), missing=tuple(_PLACES))
