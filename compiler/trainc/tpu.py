"""Slices of TPUs on GKE: labels of the nodes, and the workers of a slice.

https://docs.cloud.google.com/kubernetes-engine/docs/concepts/tpus and, for machines and topologies,
https://github.com/AI-Hypercomputer/xpk/blob/v1.16.0/src/xpk/core/system_characteristics.py
"""

from __future__ import annotations

import re
from math import prod

TPU = "google.com/tpu"  # of the device plugin: chips of a node
ACCELERATOR_LABEL = "cloud.google.com/gke-tpu-accelerator"
TOPOLOGY_LABEL = "cloud.google.com/gke-tpu-topology"
NODE_POOL_LABEL = "cloud.google.com/gke-nodepool"  # a slice is a node pool
# Variables by which the processes of several slices find each other.
SLICE_COORDINATOR, SLICES, SLICE_ID = "MEGASCALE_COORDINATOR_ADDRESS", "MEGASCALE_NUM_SLICES", "MEGASCALE_SLICE_ID"
# Dimensions of the topologies of each accelerator.
DIMENSIONS = {
    "tpu-v4-podslice": 3,
    "tpu-v5-lite-podslice": 2,
    "tpu-v5p-slice": 3,
    "tpu-v6e-slice": 2,
    "tpu7x": 3,
}
# Accelerators by the first part of the names of machines and of gcloud's types, such as v6e-16.
SHORT_NAMES = {
    "v4": "tpu-v4-podslice",
    "v5e": "tpu-v5-lite-podslice",
    "v5litepod": "tpu-v5-lite-podslice",
    "v5p": "tpu-v5p-slice",
    "v6e": "tpu-v6e-slice",
    "v7x": "tpu7x",
}
_TOPOLOGY = r"[1-9][0-9]{0,3}(x[1-9][0-9]{0,3}){1,2}"  # compiled for jobs with TPUs only
_CHIPS = 4  # of a node, unless the slice is one chip


def chip_count(topology: str) -> int | None:
    """Return the chips of a slice, 16 of `4x4`; None for text that is no topology."""
    return prod(map(int, topology.split("x"))) if re.fullmatch(_TOPOLOGY, topology) else None


def default_chips(topology: str) -> int:
    """Return the chips of each worker unless the job has another number."""
    return min(chip_count(topology) or _CHIPS, _CHIPS)
