"""Product of the sizes of groups of processes, for messages."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod


def product(sizes: Iterable[tuple[str, int]]) -> tuple[int, str]:
    """Return the product of named sizes, and the text of its factors: `tensor 8 × pipeline 3`."""
    sizes = list(sizes)
    return prod(size for _, size in sizes), " × ".join(f"{name} {size}" for name, size in sizes)
