"""Path of the field at a position, by indentation: it is asked while the text is no YAML yet."""

from __future__ import annotations

import re

from trainc.record import Record

_KEY = re.compile(r"^(?P<indent> *)(?P<dashes>(?:- +)*)(?P<key>[\w./-]+):(?=\s|$)")
_DEPTH = 100  # fields inside each other; a job has fewer than 20


class Context(Record):
    """Fields around a position, outermost first, and whether the position is in the value of the last one.

    `typed` is what stands between the start of the word and the position.
    """

    path: tuple[str, ...]
    in_value: bool
    typed: str


def context(text: str, offset: int) -> Context:
    """Return the context of an offset, in the document that contains it."""
    before = text[:offset].splitlines() or [""]
    if text[:offset].endswith(("\n", "\r")):
        before.append("")
    line = before[-1]
    match = _KEY.match(line)
    if match:
        path = (*_around(before[:-1], _column(match)), match["key"])
        return Context(path=path, in_value=True, typed=line[match.end() :].strip())
    indent = len(line) - len(line.lstrip(" -"))
    return Context(path=_around(before[:-1], indent), in_value=False, typed=line.strip(" -"))


def key_at(text: str, offset: int) -> tuple[str, ...]:
    """Return the path of the field whose key or value is on the line of an offset; empty if there is none."""
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    line = (text[start:].splitlines() or [""])[0]
    match = _KEY.match(line)
    return (*_around(text[:start].splitlines(), _column(match)), match["key"]) if match else ()


def _column(match: re.Match[str]) -> int:
    return len(match["indent"]) + len(match["dashes"])


def _around(lines: list[str], indent: int) -> tuple[str, ...]:
    """Return the keys of the mappings around a line of an indentation, outermost first."""
    path: list[str] = []
    for line in reversed(lines):
        if indent <= 0 or line.startswith("---") or len(path) == _DEPTH:
            break
        match = _KEY.match(line)
        if match and _column(match) < indent:
            path.append(match["key"])
            indent = _column(match)
    return tuple(reversed(path))
