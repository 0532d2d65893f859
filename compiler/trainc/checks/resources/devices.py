"""Devices that no node offers under that name, and shares of a GPU that its device plugin can't divide.

A pod that asks for a resource that no node has stays Pending, and Kubernetes can't tell a slip from a node to come.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainc.checks.context import RuleContext
from trainc.checks.shared.patched import with_resources
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error, warning
from trainc.lower.resources import GPU_CORES, GPU_MEMORY
from trainc.source.node import Mapping
from trainc.span import Span
from trainc.spec.resources import Gpu
from trainc.spec.section import inside

TRIGGERS = ("resources", "podTemplate")

# By vendor, what its device plugins call their devices:
# - https://github.com/NVIDIA/k8s-device-plugin#configuration-option-details
# - https://github.com/NVIDIA/kubevirt-gpu-device-plugin
# - https://github.com/ROCm/k8s-device-plugin
# - https://intel.github.io/intel-device-plugins-for-kubernetes/cmd/gpu_plugin/README.html
# - https://docs.habana.ai/en/latest/Orchestration/Gaudi_Kubernetes/index.html
# - https://awsdocs-neuron.readthedocs-hosted.com/en/latest/containers/tutorials/k8s-neuron-device-plugin.html
# - https://github.com/aws/eks-charts/tree/master/stable/aws-efa-k8s-device-plugin
# - https://cloud.google.com/kubernetes-engine/docs/how-to/tpus
# - https://github.com/Project-HAMi/HAMi/blob/master/charts/hami/templates/scheduler/device-configmap.yaml
KNOWN = frozenset(
    (
        "nvidia.com/gpu",
        "nvidia.com/gpu.shared",
        "nvidia.com/pgpu",
        "nvidia.com/vgpu",
        GPU_MEMORY,
        "nvidia.com/gpumem-percentage",
        GPU_CORES,
        "amd.com/gpu",
        "gpu.intel.com/i915",
        "gpu.intel.com/xe",
        "habana.ai/gaudi",
        "aws.amazon.com/neuron",
        "aws.amazon.com/neuroncore",
        "aws.amazon.com/neurondevice",
        "vpc.amazonaws.com/efa",
        "google.com/tpu",
    )
)
# What all of these have in their names: another name is not looked at closer.
_VENDORS = ("nvidia", "nvida", "amd", "intel", "habana", "neuron", "amazon", "google", "gpu")
# Of two names that differ in one letter of fourteen this is less; `nvidia.com/mig-…` is far from all.
_NEAR = 0.93
# Vendors whose GPUs HAMi's memory and cores, which are NVIDIA's, say nothing about.
_OTHERS = (
    "amd.com/",
    "gpu.intel.com/",
    "habana.ai/",
    "aws.amazon.com/",
    "google.com/",
    "huawei.com/",
    "nvidia.com/mig-",
)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """`resources`, by name and by `gpu`, and those of podTemplate's containers."""
    gpu, given = context.spec.resources.gpu, context.spec.resources.node
    if gpu is not None:
        yield from _share(gpu)
        if gpu.gives("resource"):
            yield from _misspelt([(gpu.resource, gpu.where("resource"))])
    sections = [given] if context.job.pod.patch is None else [given, *_patched(context)]
    for section in sections:
        for node in (section, section.get("requests"), section.get("limits")):
            if isinstance(node, Mapping):
                yield from _misspelt((name, entry.key.span) for name, entry in node.entries.items())


def _patched(context: RuleContext) -> list[Mapping]:
    return [inside(container, "resources") for _, container in with_resources(context)]


def _misspelt(names: Iterable[tuple[str, Span]]) -> Iterator[Diagnostic]:
    """Names that are nearly those of well-known devices."""
    for name, where in names:
        if "/" in name and name not in KNOWN and any(vendor in name.lower() for vendor in _VENDORS):
            meant = _nearest(name)
            if meant is not None:
                message = f"no device plugin offers `{name}`: the pods wait for such a device in vain"
                yield warning(codes.UNKNOWN_DEVICE, message, where, help=f"did you mean {meant}?")


def _nearest(name: str) -> str | None:
    import difflib

    domain, _, device = name.lower().partition("/")
    whole = f"{domain if '.' in domain else f'{domain}.com'}/{device.replace('_', '-')}"
    close = difflib.get_close_matches(whole, sorted(KNOWN), n=1, cutoff=_NEAR)
    return close[0] if close else None


def _share(gpu: Gpu) -> Iterator[Diagnostic]:
    """https://project-hami.io/docs/userguide/nvidia-device/specify-device-memory-usage/"""
    for field, value, name in (("memory", gpu.memory, GPU_MEMORY), ("cores", gpu.cores, GPU_CORES)):
        if value is None:
            continue
        if gpu.count == 0:
            message = f"`gpu.{field}` is of each GPU, and there are none"
            other = Related(span=gpu.where("count"), message="no GPUs")
            yield error(codes.GPU_SHARE_MISMATCH, message, gpu.node.entries[field].key.span, related=[other])
        elif gpu.resource.startswith(_OTHERS):
            message = f"`gpu.{field}` is {name}, which no node has together with {gpu.resource}"
            other = Related(span=gpu.where("resource"), message="conflicts with this")
            help_ = "name the shares as their device plugin does, by their full names beside `gpu`"
            where = gpu.node.entries[field].key.span
            yield error(codes.GPU_SHARE_MISMATCH, message, where, help=help_, related=[other])
