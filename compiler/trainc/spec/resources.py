"""`resources` and `sharedMemory`: what each worker gets."""

from __future__ import annotations

from trainc.source.node import Mapping
from trainc.spec.section import Section, inside, mapping, number, quantities, quantity, text


class Gpu(Section):
    """GPUs of a worker; memory in MB and cores in percent, each of one shared GPU."""

    count: int
    resource: str
    memory: int | None
    cores: int | None


class Resources(Section):
    """Quantities as they are typed. `both` holds what is request and limit alike."""

    both: dict[str, str]
    gpu: Gpu | None
    requests: dict[str, str]
    limits: dict[str, str]


_KUBERNETES_NAMES = {"ephemeralStorage": "ephemeral-storage"}


def read_resources(spec: Mapping) -> Resources:
    """The section, empty when the job has none."""
    node = inside(spec, "resources")
    names = [name for name in node.entries if name not in ("gpu", "requests", "limits")]
    return Resources(
        node=node,
        both={_KUBERNETES_NAMES.get(name, name): quantity(node, name) or "" for name in names},
        gpu=_gpu(node) if "gpu" in node.entries else None,
        requests=quantities(inside(node, "requests")),
        limits=quantities(inside(node, "limits")),
    )


def _gpu(node: Mapping) -> Gpu:
    section = mapping(node, "gpu")
    if section is None:
        count = number(node, "gpu") or 0
        return Gpu(node=node, count=count, resource="nvidia.com/gpu", memory=None, cores=None)
    return Gpu(
        node=section,
        count=number(section, "count") or 0,
        resource=text(section, "resource") or "nvidia.com/gpu",
        memory=number(section, "memory"),
        cores=number(section, "cores"),
    )
