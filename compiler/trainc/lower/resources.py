"""Requests and limits of the training container."""

from __future__ import annotations

from trainc.quantity import NANO, nanos
from trainc.spec.resources import Resources

# What HAMi's device plugin calls a share of a GPU; each is per GPU, like the seeds' gpu_memory and gpu_cores
# (https://project-hami.io/docs/userguide/nvidia-device/specify-device-memory-usage/).
GPU_MEMORY, GPU_CORES = "nvidia.com/gpumem", "nvidia.com/gpucores"


def lower_resources(resources: Resources) -> tuple[dict[str, str], dict[str, str]]:
    """Requests and limits by Kubernetes' names. A GPU stands in both, as the API server demands."""
    both = dict(resources.both)
    gpu = resources.gpu
    if gpu is not None and gpu.count > 0:
        both[gpu.resource] = str(gpu.count)
        if gpu.memory is not None:
            both[GPU_MEMORY] = str(gpu.memory)
        if gpu.cores is not None:
            both[GPU_CORES] = str(gpu.cores)
    return {**both, **resources.requests}, {**both, **resources.limits}


def gpus(resources: Resources) -> int:
    """GPUs a worker has, however they were asked for."""
    if resources.gpu is not None:
        return resources.gpu.count
    asked = {**resources.both, **resources.requests, **resources.limits}
    counts = [nanos(count) // NANO for name, count in asked.items() if name.endswith("/gpu") or "/mig-" in name]
    return max(counts, default=0)
