"""`resources`: CPU, memory and GPUs of each worker."""

from __future__ import annotations

from typing import Self

from trainc.quantity import NANO, nanos
from trainc.source.node import Mapping
from trainc.spec.section import Section, field, inside, mapping, number, quantities, quantity
from trainc.well_known import NVIDIA_GPU

# HAMi's device plugin; each is per GPU, like the seeds' gpu_memory and gpu_cores
# (https://project-hami.io/docs/userguide/nvidia-device/specify-device-memory-usage/).
GPU_MEMORY, GPU_CORES = "nvidia.com/gpumem", "nvidia.com/gpucores"


class Gpu(Section):
    """GPUs of a worker; memory in MB and cores in percent, each of one shared GPU."""

    count: int = 0
    resource: str = NVIDIA_GPU
    memory: int | None
    cores: int | None

    @classmethod
    def read_field(cls, node: Mapping, name: str) -> Self | None:
        """Read a number of GPUs, or the section."""
        if name not in node.entries or mapping(node, name) is not None:
            return super().read_field(node, name)
        return cls(node=node, count=number(node, name) or 0, memory=None, cores=None)


_KUBERNETES_NAMES = {"ephemeralStorage": "ephemeral-storage"}


def _both(node: Mapping, _: str) -> dict[str, str]:
    names = [name for name in node.entries if name not in ("gpu", "requests", "limits")]
    return {_KUBERNETES_NAMES.get(name, name): quantity(node, name) or "" for name in names}


def _quantities(node: Mapping, name: str) -> dict[str, str]:
    return quantities(inside(node, name))


class Resources(Section):
    """Quantities as they are typed. `both` holds values that are request and limit alike."""

    both: dict[str, str] = field(_both)
    gpu: Gpu | None
    requests: dict[str, str] = field(_quantities)
    limits: dict[str, str] = field(_quantities)

    @property
    def gpu_count(self) -> int:
        """GPUs of a worker, from `gpu` or from the names of extended resources."""
        if self.gpu is not None:
            return self.gpu.count
        quantities = {**self.both, **self.requests, **self.limits}
        gpus = [nanos(count) // NANO for name, count in quantities.items() if name.endswith("/gpu") or "/mig-" in name]
        return max(gpus, default=0)
