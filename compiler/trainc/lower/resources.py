"""Requests and limits of the training container."""

from __future__ import annotations

from trainc.spec.worker import GPU_CORES, GPU_MEMORY, Resources


def lower_resources(resources: Resources) -> tuple[dict[str, str], dict[str, str]]:
    """Return requests and limits by Kubernetes' names. GPUs are in both, as the API server requires."""
    both = dict(resources.both)
    gpu = resources.gpu
    if gpu is not None and gpu.count > 0:
        both[gpu.resource] = str(gpu.count)
        if gpu.memory is not None:
            both[GPU_MEMORY] = str(gpu.memory)
        if gpu.cores is not None:
            both[GPU_CORES] = str(gpu.cores)
    return {**both, **resources.requests}, {**both, **resources.limits}
