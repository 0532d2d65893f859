"""Stand-in for the extension module rpds, which has no wheel for Pyodide: the three types that `referencing` uses.

Each change copies the collection. The registries of jsonschema have a few dozen entries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any


class HashTrieMap(Mapping[Any, Any]):
    """Immutable mapping."""

    def __init__(self, value: Mapping[Any, Any] | Iterable[tuple[Any, Any]] = (), **more: Any) -> None:
        self._items = dict(value, **more)

    @classmethod
    def convert(cls, value: Any) -> HashTrieMap:
        """Return a mapping as one of this type."""
        return value if isinstance(value, cls) else cls(value)

    @classmethod
    def fromkeys(cls, keys: Iterable[Any], value: Any = None) -> HashTrieMap:
        """Return a mapping with one value for all keys."""
        return cls(dict.fromkeys(keys, value))

    def __getitem__(self, key: Any) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HashTrieMap) and self._items == other._items

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return f"HashTrieMap({self._items!r})"

    def insert(self, key: Any, value: Any) -> HashTrieMap:
        """Return the mapping with another entry."""
        return HashTrieMap({**self._items, key: value})

    def update(self, *others: Any, **more: Any) -> HashTrieMap:
        """Return the mapping with the entries of others."""
        items = dict(self._items)
        for other in others:
            items.update(other)
        return HashTrieMap({**items, **more})

    def remove(self, key: Any) -> HashTrieMap:
        """Return the mapping without an entry. Raises KeyError."""
        items = dict(self._items)
        del items[key]
        return HashTrieMap(items)

    def discard(self, key: Any) -> HashTrieMap:
        """Return the mapping without an entry, which may be missing."""
        return self.remove(key) if key in self._items else self


class HashTrieSet(frozenset[Any]):
    """Immutable set."""

    def insert(self, value: Any) -> HashTrieSet:
        """Return the set with another value."""
        return HashTrieSet([*self, value])

    def update(self, *others: Iterable[Any]) -> HashTrieSet:
        """Return the set with the values of others."""
        return HashTrieSet(self.union(*others))

    def remove(self, value: Any) -> HashTrieSet:
        """Return the set without a value. Raises KeyError."""
        if value not in self:
            raise KeyError(value)
        return self.discard(value)

    def discard(self, value: Any) -> HashTrieSet:
        """Return the set without a value, which may be missing."""
        return HashTrieSet(self - {value})


class List:
    """Immutable list with cheap access to its front."""

    def __init__(self, value: Any = (), *more: Any) -> None:
        self._values = (value, *more) if more else tuple(value)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, List) and self._values == other._values

    def __hash__(self) -> int:
        return hash(self._values)

    def __repr__(self) -> str:
        return f"List({[*self._values]!r})"

    @property
    def first(self) -> Any:
        """First value. Raises IndexError."""
        return self._values[0]

    def push_front(self, value: Any) -> List:
        """Return the list with another value in front."""
        return List((value, *self._values))

    def drop_first(self) -> List:
        """Return the list without its first value. Raises IndexError."""
        if not self._values:
            raise IndexError("empty list")
        return List(self._values[1:])
