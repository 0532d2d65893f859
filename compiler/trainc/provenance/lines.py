"""Fields of a manifest by line: the block-style YAML that trainc emits, read in a twentieth of a parser's time."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.record import Record
from trainc.schema.paths import Path
from trainc.source.load import load
from trainc.source.node import plain
from trainc.span import Source

_KEY = re.compile(r'("(?:[^"\\]|\\.)*"|[^\s"#].*?):(?: +(.*))?$', re.DOTALL)


class Leaf(Record):
    """Scalar, or a collection in flow style, as YAML text; lines count from 1, and `end` is the last one."""

    text: str
    line: int
    end: int


Tree = dict[str, "Tree"] | list["Tree"] | Leaf


def read_tree(text: str) -> Tree:
    """Return the tree of a manifest; keys are as they are spelled."""
    return _Reader(text).block(0)


def leaves(tree: Tree, at: Path = ()) -> Iterator[tuple[Path, Leaf]]:
    """Yield all leaves with their paths, in the order of their lines."""
    if isinstance(tree, Leaf):
        yield at, tree
        return
    for step, inner in tree.items() if isinstance(tree, dict) else enumerate(tree):
        yield from leaves(inner, (*at, step))


def unquote(key: str) -> str:
    """Return a key as the object has it."""
    return str(plain(load(Source("", key))[0][0])) if key.startswith('"') else key


class _Reader:
    """Reader of lines; the dashes of a list are replaced by spaces when its items are read."""

    def __init__(self, text: str) -> None:
        self._lines = text.removesuffix("\n").split("\n")
        self._at = 0

    def block(self, indent: int) -> Tree:
        """Return the collection that starts on the current line."""
        return self._sequence(indent) if self._is_item(indent) else self._mapping(indent)

    def _indent(self) -> int:
        """Skip blank lines and comments; return the indentation of the current line, -1 at the end."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            content = line.lstrip(" ")
            if content and not content.startswith("#"):
                return len(line) - len(content)
            self._at += 1
        return -1

    def _is_item(self, indent: int) -> bool:
        return self._indent() == indent and f"{self._lines[self._at]} ".startswith("- ", indent)

    def _sequence(self, indent: int) -> Tree:
        items: list[Tree] = []
        while self._is_item(indent):
            text = self._lines[self._at][indent + 1 :].lstrip(" ")
            inner = len(self._lines[self._at]) - len(text)
            self._lines[self._at] = " " * inner + text
            is_collection = text.startswith(("- ", "? ")) or _KEY.match(text)
            items.append(self.block(inner) if is_collection else self._leaf(text, indent))
        return items

    def _mapping(self, indent: int) -> Tree:
        entries: dict[str, Tree] = {}
        while self._indent() == indent and not self._is_item(indent):
            line = self._lines[self._at][indent:]
            if line.startswith("? ") and self._at + 1 < len(self._lines):  # a long key
                self._at += 1
                key, text = line[2:], self._lines[self._at][indent:].removeprefix(":").lstrip(" ")
            else:
                match = _KEY.match(line)
                # Text in a style that trainc doesn't emit is a leaf of its own.
                key, text = (match[1], match[2] or "") if match else (line, line)
            entries[key] = self._value(text, indent)
        return entries

    def _value(self, text: str, indent: int) -> Tree:
        if text:
            return self._leaf(text, indent)
        start = self._at
        self._at += 1
        inner = self._indent()
        if inner > indent or self._is_item(indent):
            return self.block(inner)
        self._at = start
        return self._leaf(text, indent)

    def _leaf(self, text: str, indent: int) -> Leaf:
        start = self._at
        self._at += 1
        while self._at < len(self._lines) and self._is_inside(self._lines[self._at], indent):
            self._at += 1
        text = "\n".join([text, *self._lines[start + 1 : self._at]])
        return Leaf(text=text, line=start + 1, end=self._at)

    def _is_inside(self, line: str, indent: int) -> bool:
        return not line or line.startswith(" " * (indent + 1))
