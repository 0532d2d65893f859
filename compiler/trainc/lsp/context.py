"""Path of the field at a position: by indentation while the text is no YAML yet, else also in flow style."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from trainc.lsp.positions import Positions
from trainc.record import Record
from trainc.source.load import load
from trainc.source.node import Mapping, Node, Sequence
from trainc.span import Source

_KEY = re.compile(r"^(?P<indent> *)(?P<dashes>(?:- +)*)(?P<key>[\w./-]+):(?=\s|$)")
_DEPTH = 100  # fields inside each other; a job has fewer than 20


class Context(Record):
    """Fields around a position, outermost first, and whether the position is in the value of the last one."""

    path: tuple[str, ...]
    in_value: bool


def context(text: str, offset: int) -> Context:
    """Return the context of an offset, in the document that contains it."""
    *above, line = _lines(text[:offset])
    match = _KEY.match(line)
    if match:
        path = (*_around(above, _column(match)), match["key"])
        return Context(path=path, in_value=True)
    indent = len(line) - len(line.lstrip(" -"))
    return Context(path=_around(above, indent), in_value=False)


def key_at(text: str, offset: int) -> tuple[str, ...]:
    """Return the path of the field whose key or value is on the line of an offset; empty if there is none."""
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    line = (text[start:].splitlines() or [""])[0]
    match = _KEY.match(line)
    return (*_around(text[:start].splitlines(), _column(match)), match["key"]) if match else ()


def siblings(text: str, offset: int) -> set[str]:
    """Return the keys of the mapping around the line of an offset, without that of the line."""
    *before, start = _lines(text[:offset])
    line, *after = _lines(text)[len(before) :]
    indent = len(start) - len(start.lstrip(" -"))
    above = [] if "-" in start[:indent] else _keys(reversed(before), indent, is_above=True)
    below = [] if line.startswith("---") else _keys(after, indent, is_above=False)
    return {*above, *below}


def _lines(text: str) -> list[str]:
    """Return the lines of a text, of which the last one may be empty."""
    return [*text.splitlines(), *([""] if not text or text.endswith(("\n", "\r")) else [])]


def document_lines(text: str, offset: int) -> tuple[int, int]:
    """Return the first and the last line, from 1, of the document around an offset."""
    lines, number = text.splitlines(), len(text[:offset].splitlines())
    first = next((line + 1 for line in range(number, 0, -1) if lines[line - 1].startswith("---")), 1)
    last = next((line for line in range(number + 1, len(lines) + 1) if lines[line - 1].startswith("---")), len(lines))
    return first, last


def _keys(lines: Iterable[str], indent: int, is_above: bool) -> Iterator[str]:
    """Yield the keys of an indentation up to the end of the mapping; a dash begins an item of a list."""
    for line in lines:
        match = _KEY.match(line)
        content = line.strip(" ")
        if not content or content.startswith("#"):
            continue
        is_item = match is not None and bool(match["dashes"])
        column = _column(match) if match else len(line) - len(line.lstrip(" "))
        if line.startswith("---") or column < indent or (is_item and column == indent and not is_above):
            return
        if match and column == indent:
            yield match["key"]
            if is_item:
                return


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


def path_at(text: str, offset: int) -> tuple[str, ...]:
    """Return the path of the innermost field whose key or value has an offset; empty if the text is no YAML."""
    documents, problems = load(Source("", text))
    if problems:
        return ()
    positions = Positions(text)
    return tuple(next((path for each in documents if (path := tuple(_steps(each, offset, positions)))), ()))


def _steps(node: Node, offset: int, positions: Positions) -> Iterator[str]:
    if isinstance(node, Mapping):
        for name, entry in node.entries.items():
            start, end = positions.offsets(entry.key.span)[0], positions.offsets(entry.value.span)[1]
            if start <= offset < max(end, start + 1):
                yield name
                yield from _steps(entry.value, offset, positions)
                return
    elif isinstance(node, Sequence):
        for item in node.items:
            start, end = positions.offsets(item.span)
            if start <= offset < end:
                yield from _steps(item, offset, positions)
                return
