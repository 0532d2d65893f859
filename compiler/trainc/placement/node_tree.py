"""Tree over nodes that finds the best one, or a random one, and closes ranges of them, each in logarithmic time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf
from operator import add
from random import Random

Range = tuple[int, int]  # of leaves: the first, and the one after the last
Combine = Callable[[float, float], float]


class _Tree:
    """Segment tree with a value for each leaf. The children of `i` are `2 * i` and `2 * i + 1`; 1 is the root."""

    def __init__(self, leaves: list[float], empty: float, combine: Combine) -> None:
        self.size = 1 << max(len(leaves) - 1, 0).bit_length()
        self._empty, self._combine = empty, combine
        self._leaves = [*leaves, *[empty] * (self.size - len(leaves))]
        self._closed = [0] * (2 * self.size)  # how many times a subtree is closed
        self.values = [empty] * self.size + self._leaves
        for i in range(self.size - 1, 0, -1):
            self.values[i] = combine(self.values[2 * i], self.values[2 * i + 1])

    def set(self, leaf: int, value: float) -> None:
        """Set the value of a leaf."""
        self._leaves[leaf] = value
        self._refresh(leaf + self.size)

    def close(self, ranges: Iterable[Range], times: int = 1) -> None:
        """Close ranges of leaves, which then count as empty; -1 opens them again."""
        for start, end in ranges:
            first, last = start + self.size, end + self.size
            while first < last:
                if first & 1:
                    self._close(first, times)
                    first += 1
                if last & 1:
                    last -= 1
                    self._close(last, times)
                first, last = first >> 1, last >> 1

    def _close(self, i: int, times: int) -> None:
        self._closed[i] += times
        self._refresh(i)

    def _refresh(self, i: int) -> None:
        values, closed, size = self.values, self._closed, self.size
        while i:
            if closed[i]:
                values[i] = self._empty
            elif i >= size:
                values[i] = self._leaves[i - size]
            else:
                values[i] = self._combine(values[2 * i], values[2 * i + 1])
            i >>= 1


class LeastTree(_Tree):
    """Finds the leaf with the least value."""

    def __init__(self, leaves: list[float]) -> None:
        super().__init__(leaves, inf, min)

    def find(self) -> int | None:
        """Return the leaf, None if all are empty or closed."""
        values, i = self.values, 1
        if values[1] == inf:
            return None
        while i < self.size:
            i = 2 * i if values[2 * i] <= values[2 * i + 1] else 2 * i + 1
        return i - self.size


class RandomTree(_Tree):
    """Finds a random leaf. Values are 1, or 0 for a leaf that is empty."""

    def __init__(self, leaves: list[float], chance: Random) -> None:
        super().__init__(leaves, 0, add)
        self._chance = chance

    def find(self) -> int | None:
        """Return the leaf, None if all are empty or closed."""
        values, i = self.values, 1
        if not values[1]:
            return None
        left = self._chance.randrange(int(values[1]))
        while i < self.size:
            i *= 2
            if left >= values[i]:
                left -= int(values[i])
                i += 1
        return i - self.size
