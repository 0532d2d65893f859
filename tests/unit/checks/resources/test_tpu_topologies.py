"""Topologies of TPUs; expected values are in system_characteristics.py of xpk 1.16.0 and in Google Cloud's pages."""

from __future__ import annotations

import pytest

from trainc.checks.resources.tpu import has_topology, nearest_topology

V4, V5E, V5P, V6E, V7X = "tpu-v4-podslice", "tpu-v5-lite-podslice", "tpu-v5p-slice", "tpu-v6e-slice", "tpu7x"


@pytest.mark.parametrize(
    ("accelerator", "topologies"),
    [
        (V4, "2x2x1 2x2x2 2x2x4 2x4x4 4x4x4 4x4x8 4x8x8 8x8x8 8x8x12 8x8x16 8x16x16"),
        (V5E, "1x1 2x2 2x4 4x4 4x8 8x8 8x16 16x16"),
        (V5P, "2x2x1 2x2x2 4x4x12 4x8x12 12x12x36 4x4x244 4x28x52 16x16x24 16x20x28"),
        (V6E, "1x1 2x2 2x4 4x4 4x8 8x8 8x16 16x16"),
        (V7X, "1x1x1 2x2x1 2x2x4 4x12x116 16x24x24 8x20x28"),
    ],
)
def test_slices_have_these_topologies(accelerator: str, topologies: str) -> None:
    assert [each for each in topologies.split() if not has_topology(accelerator, each)] == []


@pytest.mark.parametrize(
    ("accelerator", "topology", "nearest"),
    [
        (V6E, "2x8", "4x4"),  # 16 chips
        (V5E, "32x32", "16x16"),  # the largest slice
        (V5P, "8x4x4", "4x4x8"),  # in ascending order
        (V5P, "2x4x8", "4x4x4"),  # 64 chips
        (V4, "1x1x1", "2x2x1"),  # the smallest slice
        (V4, "24x24x24", "16x16x16"),  # a pod has 4096 chips
    ],
)
def test_no_slice_has_these(accelerator: str, topology: str, nearest: str) -> None:
    assert not has_topology(accelerator, topology)
    assert nearest_topology(accelerator, topology) == nearest
    assert has_topology(accelerator, nearest)
