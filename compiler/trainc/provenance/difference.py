"""Difference between two compilations of a job: leaves of the first that the second lacks or has with another text."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from trainc.provenance.lines import Leaf, Tree, leaves
from trainc.record import Record
from trainc.schema.paths import Path


class Difference(Record):
    """Leaves with another text, by their paths in the first tree, and leaves that are gone."""

    changed: dict[Path, str]
    removed: set[Path]

    @property
    def paths(self) -> set[Path]:
        """Paths of all of them."""
        return self.removed | self.changed.keys()

    @property
    def size(self) -> int:
        """Number of leaves."""
        return len(self.changed) + len(self.removed)

    def __contains__(self, path: Path) -> bool:
        return path in self.changed or path in self.removed


def difference(old: Sequence[Tree], new: Sequence[Tree | None]) -> Difference:
    """Compare two objects each; the paths start with their number. Items of lists inside are paired by name."""
    combined = Difference(changed={}, removed=set())
    for number, pair in enumerate(zip(old, new, strict=True)):
        _compare(*pair, (number,), combined)
    return combined


def _compare(old: Tree, new: Tree | None, at: Path, result: Difference) -> None:
    if old is new:
        return
    if new is None:
        result.removed.update(path for path, _ in leaves(old, at))
    elif isinstance(old, dict) and isinstance(new, dict):
        for key, inner in old.items():
            _compare(inner, new.get(key), (*at, key), result)
    elif isinstance(old, list) and isinstance(new, list):
        partners = _partners(list(map(_identity, old)), list(map(_identity, new)))
        for index, inner in enumerate(old):
            _compare(inner, new[partners[index]] if index in partners else None, (*at, index), result)
    elif isinstance(old, Leaf) and isinstance(new, Leaf):
        if old.text != new.text:
            result.changed[at] = new.text
    else:
        result.changed.update((path, "") for path, _ in leaves(old, at))


def _partners(old: list[str], new: list[str]) -> dict[int, int]:
    """Return the places in the new list of items of the old one. A list of the same length has renamed items."""
    if len(set(old)) == len(old) and sorted(old) == sorted(new):
        return {place: new.index(name) for place, name in enumerate(old)}
    return {place: place for place in range(len(old))} if len(old) == len(new) else partners(old, new)


def partners(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Return the places in a new list of the items of an old one that are equal, or replaced."""
    places: dict[int, int] = {}
    for tag, start, end, other_start, other_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag in ("equal", "replace"):
            places.update(zip(range(start, end), range(other_start, other_end), strict=False))
    return places


def _identity(item: Tree) -> str:
    """Return the name of a named item, or the item's contents."""
    if isinstance(item, dict):
        names = [item[key] for key in ("name", "mountPath") if key in item]
        if names:
            return " ".join(name.text for name in names if isinstance(name, Leaf))
    return repr([leaf.text for _, leaf in leaves(item)])
