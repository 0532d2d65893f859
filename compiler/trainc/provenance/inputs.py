"""Names, positions and fields of the input, as a source map shows them: without values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.provenance.origins import Place
from trainc.provenance.variants import OPTIONS
from trainc.record import Record
from trainc.schema.paths import Path, dotted
from trainc.source.load import load
from trainc.source.node import Mapping, Node, Sequence
from trainc.span import COMMAND, OPTION, Source
from trainc.span import Place as Position

_ASSIGNED = re.compile(r"(?:\\.|[^=\\])*")  # the path of `--set path=value`


class Located(Record):
    """Place for people and tools; `pointer` is None outside of YAML, `line` 0 for an option."""

    input: str
    line: int
    column: int
    pointer: Path | None
    field: str

    def __str__(self) -> str:
        at = f"{self.input}:{self.line}" if self.line else self.input
        return f"{at} {self.field}".rstrip()


class Inputs:
    """Positions in all inputs; each is parsed once."""

    def __init__(self) -> None:
        self._paths: dict[str, dict[Position, Path]] = {}

    def locate(self, place: Place) -> Located:
        """Return what a source map says of a place."""
        source, span = place.span.source, place.span
        if source.name.startswith(f"{OPTION} ") or source.name in OPTIONS:
            option = _ASSIGNED.match(source.name)
            return Located(input=option[0] if option else OPTION, line=0, column=0, pointer=None, field="")
        pointer = self._pointers(source).get(span.place) or None
        path = place.path if pointer is None else pointer
        return Located(input=source.name, line=span.line, column=span.column, pointer=pointer, field=_short(path))

    def _pointers(self, source: Source) -> dict[Position, Path]:
        if source.name not in self._paths:
            is_yaml = source.name != COMMAND and not source.name.endswith((".sh", ".bash"))
            documents = load(source)[0] if is_yaml else []
            self._paths[source.name] = dict(each for node in reversed(documents) for each in _places(node, ()))
        return self._paths[source.name]


def _short(path: Path) -> str:
    """Return a field as people call it: without `spec`, which is where nearly all are."""
    return dotted(path[1:] if path[:1] == ("spec",) and len(path) > 1 else path)


def _places(node: Node, path: Path) -> Iterator[tuple[Position, Path]]:
    """Yield the positions of all keys and values, that of an alias's value last where its anchor is."""
    if isinstance(node, Mapping):
        for key, entry in reversed(node.entries.items()):
            yield from _places(entry.value, (*path, key))
            yield entry.key.span.place, (*path, key)
    elif isinstance(node, Sequence):
        for index in reversed(range(len(node.items))):
            yield from _places(node.items[index], (*path, index))
            yield node.items[index].span.first.place, (*path, index)
    yield node.span.place, path
