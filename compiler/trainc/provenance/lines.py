"""Leaves of an object with the lines of its manifest that they are in."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.emit.block import COLLECTIONS, MAX_KEY_LENGTH, block, leaf
from trainc.emit.scalar import SPELLINGS
from trainc.record import Record
from trainc.schema.paths import Path
from trainc.typenames import Any


class Leaf(Record):
    """Scalar or empty collection, as YAML text; lines count from 1, and `end` is the last one."""

    text: str
    line: int
    end: int


Tree = dict[str, "Tree"] | list["Tree"] | Leaf


def written_tree(value: dict[str, Any]) -> Tree:
    """Return the tree of an object's leaves, as `emit/block.py` writes them."""
    return _Lines(block(value).count("\n") + 1).tree(value)


def leaves(tree: Tree, at: Path = ()) -> Iterator[tuple[Path, Leaf]]:
    """Yield all leaves with their paths, in the order of their lines."""
    if isinstance(tree, Leaf):
        yield at, tree
        return
    for step, inner in tree.items() if isinstance(tree, dict) else enumerate(tree):
        yield from leaves(inner, (*at, step))


class _Lines:
    """Number of the line on which the next value is written; a text that ends with blank lines ends on the last."""

    def __init__(self, last: int) -> None:
        self._line = 1
        self._last = last

    def tree(self, value: Any) -> Tree:
        """Return the tree of a value that starts on the current line."""
        if not _is_nested(value):
            return self._leaf(value)
        if isinstance(value, dict):
            return {name: self._entry(name, inner) for name, inner in value.items()}
        return [self.tree(item) for item in value]

    def _entry(self, name: str, value: Any) -> Tree:
        self._line += (len(SPELLINGS[name]) > MAX_KEY_LENGTH) + _is_nested(value)
        return self.tree(value)

    def _leaf(self, value: Any) -> Leaf:
        text, first = leaf(value), self._line
        self._line += text.count("\n") + 1
        return Leaf(text=text, line=first, end=min(self._line - 1, self._last))


def _is_nested(value: Any) -> bool:
    return isinstance(value, COLLECTIONS) and bool(value)
