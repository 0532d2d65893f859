"""Reader of the subset of YAML that most job files are written in, in a third of the full parser's instructions.

One regular expression matches a line: a key, a list item, or both, with a scalar or a flow collection of scalars behind
it. Any other text, and every text with an error, is left to the full parser. Both yield the same tree for all that is
read here: tests/unit/source/test_subset.py.
"""

from __future__ import annotations

import re
from functools import lru_cache

from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence, resolve
from trainc.span import Source, Span

_MAXIMUM_DEPTH = 32
_START = "---\n"  # of a document
# Possessive quantifiers are not used: Python 3.11.0 to 3.11.4 resets groups inside of them wrongly (CPython gh-106052).
# `(?! )` behind spaces lets the match fail at once where a shorter one would leave a space to the next part.
_QUOTED = r""" "([ !#-\[\]-~]*)"|'([ -&(-~]*)' """.strip()
_KEY = r"(\w[\w./-]{0,99}):"
# In a block, a plain scalar has no `: ` and no ` #`. What else it may start with is an indicator for the full parser.
_PLAIN = r'((?:[\w./$+~(<=]|--?[\w.])[!"$-9;-~]*(?:(?:#|:(?=[!-~])| +(?=[!"$-~]))[!"$-9;-~]*)*)'
_COMMENT = r" *(?:(?<![^ \n])#[ -~]*)?\n"
_LINE = re.compile(
    rf"( *)(?! )(- +(?! ))?(?:{_KEY}(?: +(?! )|(?=\n)))?(?:([\[{{][ -~]*)\n|(?:{_PLAIN}|{_QUOTED})?{_COMMENT})",
    re.ASCII,
)
_INDENT, _DASH, _NAME, _FLOW = range(1, 5)  # groups; those of scalars follow
_LAST = re.compile(_COMMENT)
# In a flow collection, a plain scalar has neither a colon nor a space: versions of libyaml differ in what they mean.
_ITEM = re.compile(rf" *(?:{_KEY} +)?(?:((?:[\w./$+~=]|--?[\w.])[\w./$+~=@%()-]*)|{_QUOTED}|[\[{{])", re.ASCII)
_CLOSE = re.compile(r" *([\]}])")
_NEXT = re.compile(r" *([,\]}])")
_cached_value = lru_cache(4096)(resolve)
_MAXIMUM_CACHED = 40  # characters


class _Entry(Entry):
    """Entry of a line. Few keys are asked for their position, so a key is created on access."""

    __slots__ = ("column", "line", "name", "source")

    def __init__(self, name: str, source: Source, line: int, column: int) -> None:
        self.name = name
        self.source = source
        self.line = line
        self.column = column

    @property
    def key(self) -> Scalar:  # type: ignore[override]  # read-only, unlike the attribute of Entry
        span = Span(self.source, self.line, self.column, self.line, self.column + len(self.name))
        return Scalar(_cached_value(self.name), self.name, span)


class _Unsupported(Exception):
    """Text that the full parser must read."""


def read_subset(source: Source) -> Mapping | None:
    """Return the only document of a text, a mapping; None if the full parser must read it."""
    text = source.text
    if not text.isascii() or not text.endswith("\n"):
        return None
    reader = _Reader(source)
    position, line = (len(_START), 1) if text.startswith(_START) else (0, 0)
    try:
        while position < len(text):
            match = _LINE.match(text, position)
            if match is None:
                return None
            line += 1
            if match.lastindex != _INDENT:  # neither empty nor a comment
                reader.read_line(match, line, position)
            position = match.end()
        return reader.end(line + 1)
    except _Unsupported:
        return None


class _Reader:
    """Reader of the lines of a document."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.root: Mapping | None = None
        self.columns: list[int] = []  # of the open collections, from 0
        self.nodes: list[Mapping | Sequence] = []
        self.entry: _Entry | None = None  # last of the innermost mapping, until its value follows

    def read_line(self, match: re.Match[str], line: int, start: int) -> None:
        """Add what is in the line that starts at an offset."""
        indent, dash, name, flow, plain, _, _ = match.groups()
        last, column, columns, nodes = match.lastindex, len(indent), self.columns, self.nodes
        if self.entry is None and columns and (columns[-1] > column or (not dash and type(nodes[-1]) is Sequence)):
            self._close(column, line, is_item=dash is not None)
        if self.entry is not None or not columns:
            self._open(self._collection(dash is not None, line, column), column)
        elif columns[-1] != column:
            raise _Unsupported
        if dash:
            column += len(dash)
            if type(nodes[-1]) is not Sequence or last == _DASH:
                raise _Unsupported
            if name:
                self._open(self._collection(False, line, column), column)
        value: Node | None = None
        if last != _NAME:
            value = self._line_of_flow(match, line, start) if flow else self._scalar(match, plain, line, start)
        if name:
            node = nodes[-1]
            if type(node) is not Mapping or name in node.entries:
                raise _Unsupported
            entry = _Entry(name, self.source, line, column + 1)
            if value is None:
                self.entry = entry
            else:
                entry.value = value
                node.entries[name] = entry
        elif value is not None:
            self._add(value)

    def end(self, line: int) -> Mapping | None:
        """Return the document, which ends at the start of a line; None if it is empty."""
        if self.entry is not None:
            raise _Unsupported
        for node in self.nodes:
            self._end(node, line, 1)
        return self.root

    def _close(self, column: int, line: int, is_item: bool) -> None:
        """End the collections that end before what is in a column; a list may be at the column of its key."""
        columns, nodes = self.columns, self.nodes
        while columns and (
            columns[-1] > column or (columns[-1] == column and not is_item and type(nodes[-1]) is Sequence)
        ):
            columns.pop()
            self._end(nodes.pop(), line, column + 1)

    def _end(self, node: Mapping | Sequence, line: int, column: int) -> None:
        """End a collection where the next value or key starts, like libyaml."""
        node.span.end_line, node.span.end_column = line, column

    def _collection(self, is_list: bool, line: int, column: int) -> Mapping | Sequence:
        """Return an empty collection, which starts at its first key or dash."""
        span = Span(self.source, line, column + 1, line, column + 1)
        return Sequence([], span) if is_list else Mapping({}, span)

    def _open(self, node: Mapping | Sequence, column: int) -> None:
        """Add a collection that the next lines may continue."""
        if self.entry is not None and (column, type(node) is Sequence) <= (self.columns[-1], False):
            raise _Unsupported
        if self.nodes:
            self._add(node)
        elif self.root is None and type(node) is Mapping:
            self.root = node
        else:
            raise _Unsupported
        if len(self.nodes) >= _MAXIMUM_DEPTH:
            raise _Unsupported
        self.columns.append(column)
        self.nodes.append(node)

    def _add(self, value: Node) -> None:
        node, entry = self.nodes[-1], self.entry
        if type(node) is Sequence:
            node.items.append(value)
        elif type(node) is Mapping and entry is not None:
            entry.value = value
            node.entries[entry.name] = entry
            self.entry = None
        else:
            raise _Unsupported

    def _scalar(self, match: re.Match[str], plain: str | None, line: int, start: int) -> Scalar:
        """Return the scalar that is a match's last group."""
        group = match.lastindex or 0
        column = match.start(group) - start + 1
        if plain:
            value = _cached_value(plain) if len(plain) <= _MAXIMUM_CACHED else plain
            return Scalar(value, plain, Span(self.source, line, column, line, column + len(plain)))
        text = match[group]
        return Scalar(text, text, Span(self.source, line, column - 1, line, column + len(text) + 1))

    def _line_of_flow(self, match: re.Match[str], line: int, start: int) -> Node:
        """Return the flow collection at the end of a line."""
        node, end = self._flow(match.start(_FLOW), line, start, len(self.nodes))
        if not _LAST.match(self.source.text, end):
            raise _Unsupported
        return node

    def _flow(self, position: int, line: int, start: int, depth: int) -> tuple[Node, int]:
        """Return the flow collection at an offset, and the offset behind it."""
        text = self.source.text
        is_list = text[position] == "["
        node = self._collection(is_list, line, position - start)
        position += 1
        following = _CLOSE.match(text, position)
        while following is None or following[1] == ",":
            match = _ITEM.match(text, following.end() if following else position)
            if match is None or depth == _MAXIMUM_DEPTH:
                raise _Unsupported
            name, plain, _, _ = match.groups()
            if (match.lastindex or 0) > 1:
                value: Node = self._scalar(match, plain, line, start)
                position = match.end()
            else:
                value, position = self._flow(match.end() - 1, line, start, depth + 1)
            if type(node) is Sequence and not name:
                node.items.append(value)
            elif type(node) is Mapping and name and name not in node.entries:
                node.entries[name] = entry = _Entry(name, self.source, line, match.start(1) - start + 1)
                entry.value = value
            else:
                raise _Unsupported
            following = _NEXT.match(text, position)
            if following is None:
                raise _Unsupported
        if (following[1] == "]") != is_list:
            raise _Unsupported
        self._end(node, line, following.end() - start + 1)
        return node, following.end()
