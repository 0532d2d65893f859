"""Layout of a YAML text: where its block collections start, and which lines belong to a value of several lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ruamel.yaml.error import YAMLError

from trainc.record import Record
from trainc.source.parser import events
from trainc.span import split_lines

# Anchor, tag and comments before a block scalar, and its header: `|`, `>-`, `|2+`.
_HEADER = re.compile(r"(?:[!&]\S*\s+(?:#[^\r\n]*[\r\n]\s*)*)*[|>]([-+0-9]*)")


class Collection(Record):
    """Mapping or list in block style; lines and columns count from 0."""

    is_list: bool
    column: int


class BlockScalar(Record):
    """Lines of a literal or folded scalar, and its indentation indicator, 0 without one."""

    lines: range
    indicator: int
    chomping: str  # of the breaks at its end: `-` none, `+` all, otherwise the first


class Layout:
    """Layout of a text that the parser accepts, by lines from 0."""

    def __init__(self, text: str) -> None:
        self.collections: dict[int, list[Collection]] = {}  # by the line where they start
        self.block_scalars: dict[int, BlockScalar] = {}  # by the line of their header
        self.first_lines: dict[int, int] = {}  # of the value that a line continues
        self.in_scalars: set[int] = set()  # lines within a plain or quoted scalar, which may be blank
        self.in_quotes: set[int] = set()  # lines whose end is in a quoted scalar
        self.without_value: set[int] = set()  # lines of a key or a dash without a value
        self._text = text
        self._flow_lines: list[int] = []  # where the open flow collections start
        for event in _events(text):
            self._read(type(event).__name__, event)

    def _read(self, kind: str, event: Any) -> None:
        if kind == "ScalarEvent":
            self._scalar(event)
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            if event.flow_style or self._flow_lines:
                self._flow_lines.append(event.start_mark.line)
            else:
                self._collection(event, is_list=kind == "SequenceStartEvent")
        elif kind in ("MappingEndEvent", "SequenceEndEvent") and self._flow_lines:
            self._continue(self._flow_lines.pop(), event.end_mark.line)

    def _collection(self, event: Any, is_list: bool) -> None:
        """Add a collection, which starts at its first key or dash: an anchor or a tag may be before it."""
        mark = event.end_mark
        # The event of a list in the column of its key ends behind the first dash, that of any other list before it.
        is_behind = is_list and self._text[mark.index : mark.index + 1] != "-"
        collection = Collection(is_list=is_list, column=mark.column - is_behind)
        self.collections.setdefault(mark.line, []).append(collection)

    def _scalar(self, event: Any) -> None:
        start, end = event.start_mark, event.end_mark
        if start.index == end.index:
            self.without_value.add(start.line)
        elif event.style in ("|", ">"):
            self._block_scalar(start, end)
        else:
            self._continue(start.line, end.line)
            self.in_scalars.update(range(start.line + 1, end.line))
            if event.style:
                self.in_quotes.update(range(start.line, end.line))

    def _block_scalar(self, start: Any, end: Any) -> None:
        match = _HEADER.match(self._text, start.index)
        assert match is not None, "a block scalar has a header"
        header = start.line + len(split_lines(match[0])) - 1
        self._continue(start.line, header)
        digits = match[1].strip("+-")
        self.block_scalars[header] = BlockScalar(
            # At the end of the text, the last line may have no break.
            lines=range(header + 1, end.line + (end.column > 0)),
            indicator=int(digits or 0),
            chomping=match[1].strip("0123456789"),
        )

    def _continue(self, first: int, last: int) -> None:
        self.first_lines.update(dict.fromkeys(range(first + 1, last + 1), first))


def _events(text: str) -> Iterator[Any]:
    """Return the events of a text that the loader accepts: by libyaml unless libyaml rejects it."""
    try:
        return iter([*events(text)])
    except YAMLError:
        return events(text, pure=True)
