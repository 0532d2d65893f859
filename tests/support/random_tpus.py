"""Random slices of TPUs as GKE has them: a node pool for each, with a taint; and jobs for one or several slices."""

from __future__ import annotations

import random
from typing import Any

TPU = "google.com/tpu"
ACCELERATOR, TOPOLOGY = "cloud.google.com/gke-tpu-accelerator", "cloud.google.com/gke-tpu-topology"
NODE_POOL = "cloud.google.com/gke-nodepool"
ACCELERATORS = ("tpu-v6e-slice", "tpu-v5-lite-podslice")
HOSTS = {"2x4": 2, "4x4": 4, "4x8": 8}  # with 4 chips each
TAINT = {"key": TPU, "value": "present", "effect": "NoSchedule"}
Object = dict[str, Any]


def slice_hosts(source: random.Random, prefix: str, count: int) -> list[dict[str, str]]:
    """Return the labels of `count` hosts; the last slice may be incomplete."""
    hosts: list[dict[str, str]] = []
    while len(hosts) < count:
        topology, accelerator = source.choice(tuple(HOSTS)), source.choice(ACCELERATORS)
        labels = {ACCELERATOR: accelerator, TOPOLOGY: topology, NODE_POOL: f"{prefix}-{len(hosts)}"}
        hosts += [labels] * HOSTS[topology]
    return hosts[:count]


def tpu_job(source: random.Random) -> tuple[str, Object, Object]:
    """Return back end, resources and scheduling of a job for slices; two of them need exclusive placement."""
    topology, accelerator = source.choice(tuple(HOSTS)), source.choice(ACCELERATORS)
    slices = source.choice((1, 1, 2))
    tpu = {"accelerator": accelerator, "topology": topology, **({"slices": slices} if slices > 1 else {})}
    spec: Object = {"workers": HOSTS[topology] * slices, "launch": {"jax": {}}}
    spec["resources"] = {"cpu": source.choice(("1", "12")), "memory": "4Gi", "tpu": tpu}
    scheduling: Object = {}
    if slices == 1 and source.random() < 0.6:
        scheduling["topologyKey"] = NODE_POOL
    return "jobset" if slices > 1 else "job", spec, scheduling
