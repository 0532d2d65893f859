"""Devices: misspelled names, names of a ResourceQuota, GPU shares that do not match the GPU, and claims.

A pod that requests a resource that no node offers stays Pending; Kubernetes cannot know whether such a node will join.
https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, Phrase, RuleContext, codes, error, rename, replace, warning
from trainc.checks.shared.user_fields import patched_containers, resource_names
from trainc.schema.hints import similar
from trainc.source.node import mappings, scalar_text
from trainc.spec.section import inside
from trainc.spec.worker import GPU_CORES, GPU_MEMORY, Gpu
from trainc.well_known import NVIDIA_GPU

TRIGGERS = ("resources", "podTemplate")

# Resource names of the vendors' device plugins:
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
        *(NVIDIA_GPU, f"{NVIDIA_GPU}.shared", "nvidia.com/pgpu", "nvidia.com/vgpu"),
        *(GPU_MEMORY, "nvidia.com/gpumem-percentage", GPU_CORES),
        *("amd.com/gpu", "gpu.intel.com/i915", "gpu.intel.com/xe", "habana.ai/gaudi", "google.com/tpu"),
        *("aws.amazon.com/neuron", "aws.amazon.com/neuroncore", "aws.amazon.com/neurondevice"),
        "vpc.amazonaws.com/efa",
    )
)
# Substrings of all known names; other names are not checked.
_VENDORS = ("nvidia", "nvida", "amd", "intel", "habana", "neuron", "amazon", "google", "gpu")
# Similarity of names: one different letter in fourteen is above it, `nvidia.com/mig-…` is below.
_NEAR = 0.93
# Vendors whose GPUs do not support HAMi's NVIDIA memory and core shares.
_OTHERS = (
    *("amd.com/", "gpu.intel.com/", "habana.ai/", "aws.amazon.com/", "google.com/", "huawei.com/"),
    "nvidia.com/mig-",
)


def check(context: RuleContext) -> Diagnostics:
    yield from _names(context)
    yield from _claims(context)


def _names(context: RuleContext) -> Diagnostics:
    gpu, resources = context.spec.resources.gpu, context.spec.resources.node
    patched = [inside(container, "resources") for container in patched_containers(context)]
    names = list(resource_names([resources, *patched]))
    if gpu is not None:
        yield from _share(gpu)
        if gpu.has("resource"):
            names.append((gpu.resource, gpu.where("resource")))
    for name, where in names:
        similar = _nearest(name)
        if similar is not None:
            message = f"no device plugin offers `{name}`: the pods stay Pending"
            remedy = (
                replace(where, similar)
                if gpu is not None and where is gpu.where("resource")
                else rename(where, similar)
            )
            yield warning(codes.UNKNOWN_DEVICE, message, where, help=f"did you mean {similar}?", remedy=remedy)
    for name, where in resource_names([resources]):
        # The API server rejects container resources that start with `requests.`, and no node offers one with `limits.`:
        # IsExtendedResourceName of pkg/apis/core/v1/helper/helpers.go in kubernetes/kubernetes;
        # https://kubernetes.io/docs/concepts/policy/resource-quotas/#resource-quota-for-extended-resources
        if name.startswith(("requests.", "limits.")) and "/" in name:
            message = f"`{name}` is the name of a ResourceQuota: containers cannot request it"
            own = name.partition(".")[2]
            yield error(
                codes.QUOTA_RESOURCE_NAME, message, where, help=f"use {own}", remedy=rename(where, own, safe=True)
            )


def _nearest(name: str) -> str | None:
    if "/" not in name or name in KNOWN or not any(vendor in name.lower() for vendor in _VENDORS):
        return None
    domain, _, device = name.lower().partition("/")
    whole = f"{domain if '.' in domain else f'{domain}.com'}/{device.replace('_', '-')}"
    return similar(whole, sorted(KNOWN), _NEAR)


def _share(gpu: Gpu) -> Diagnostics:
    """Check the shares: https://project-hami.io/docs/userguide/nvidia-device/specify-device-memory-usage/"""
    for field, value, name in (("memory", gpu.memory, GPU_MEMORY), ("cores", gpu.cores, GPU_CORES)):
        if value is None:
            continue
        where = gpu.node.entries[field].key.span
        if gpu.count == 0:
            message: Phrase = Message("`gpu.{}` applies to each GPU, but `{resources/gpu.count}` is 0", field)
            yield error(codes.GPU_SHARE_MISMATCH, message, where, related=[(gpu.where("count"), "no GPUs")])
        elif gpu.resource.startswith(_OTHERS):
            message = f"`gpu.{field}` requires an NVIDIA vGPU ({name}), but the job requests {gpu.resource}"
            other = (gpu.where("resource"), "conflicts with this")
            help_ = "set the shares by the resource names of their device plugin, in addition to `gpu`"
            yield error(codes.GPU_SHARE_MISMATCH, message, where, help=help_, related=[other])


def _claims(context: RuleContext) -> Diagnostics:
    """Check the claims of the language, and those of podTemplate."""
    names: set[str] = set()
    for claim in context.job.pod.device_claims:
        if claim.name in names:
            where = claim.origin or context.job.origin
            message = f"two claims of the pod are named `{claim.name}`"
            yield error(codes.DEVICE_CLAIM, message, where, help="rename one of them")
        names.add(claim.name)
    if context.file_kind or context.in_own_system:
        return  # readers translate no claims of containers
    containers = [container.node for container in (*context.pod.containers, *context.pod.init_containers)]
    used = {
        scalar_text(each.get("name"))
        for node in containers
        for each in mappings(inside(node, "resources").get("claims"))
    }
    for claim_node in mappings(context.pod.spec.get("resourceClaims")):
        name = scalar_text(claim_node.get("name"))
        if name and name not in used and claim_node.span is not context.pod.generated:
            message = f"no container uses the claim `{name}`: the pod has its devices, and the program doesn't see them"
            help_ = f"add {{name: {name}}} to `resources.claims` of the container"
            yield warning(codes.DEVICE_CLAIM, message, claim_node.where("name"), help=help_)
