"""Topologies that slices of each accelerator have on GKE, as of 27 November 2026.

Two dimensions: https://cloud.google.com/tpu/docs/supported-tpu-configurations has all of v5e, which has no others;
v6e has the same. Three dimensions A x B x C: A <= B <= C, all multiples of 4, besides
the slices of up to 64 chips (https://cloud.google.com/tpu/docs/types-topologies). The lists of
https://github.com/AI-Hypercomputer/xpk/blob/v1.16.0/src/xpk/core/system_characteristics.py agree.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import log, prod

from trainc.tpu import DIMENSIONS

FLAT = ("1x1", "2x2", "2x4", "4x4", "4x8", "8x8", "8x16", "16x16")
SMALL = ("2x2x1", "2x2x2", "2x2x4", "2x4x4", "4x4x4")
ONE_CHIP = {"tpu7x": "1x1x1"}
# Chips of the largest slice: of a pod of v4, and of 16x20x28 and 16x24x24 in xpk.
MOST = {"tpu-v4-podslice": 4096, "tpu-v5p-slice": 8960, "tpu7x": 9216}
_LONGEST = 256  # chips along a dimension


def has_topology(accelerator: str, topology: str) -> bool:
    """Return whether an accelerator of DIMENSIONS has slices of a topology."""
    if DIMENSIONS[accelerator] == 2:
        return topology in FLAT
    if topology in SMALL or topology == ONE_CHIP.get(accelerator):
        return True
    sizes = _sizes(topology)
    is_cubes = len(sizes) == 3 and all(size and size % 4 == 0 for size in sizes)
    return is_cubes and sizes == sorted(sizes) and prod(sizes) <= MOST[accelerator]


def nearest_topology(accelerator: str, topology: str) -> str:
    """Return the topology with the nearest number of chips, and of those the most similar one."""
    wanted = sorted(_sizes(topology))

    def distance(other: str) -> tuple[float, int]:
        sizes = sorted(_sizes(other))
        ratio = abs(log(prod(sizes) / max(1, prod(wanted))))
        return round(ratio, 6), sum(abs(own - size) for own, size in zip(wanted[::-1], sizes[::-1], strict=False))

    if DIMENSIONS[accelerator] == 2:
        return min(FLAT, key=distance)
    cubes = combinations_with_replacement(range(4, _LONGEST + 1, 4), 3)
    large = ["x".join(map(str, sizes)) for sizes in cubes if prod(sizes) <= MOST[accelerator]]
    return min((*SMALL, *large), key=distance)


def _sizes(topology: str) -> list[int]:
    return [int(size) for size in topology.split("x")]
