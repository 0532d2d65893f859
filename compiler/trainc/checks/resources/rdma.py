"""RDMA devices without the capability to lock memory, or disabled in NCCL."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, warning
from trainc.checks.shared.user_fields import patched_resources, resource_names
from trainc.ir.pod import LOCK_MEMORY
from trainc.source.node import scalar_text
from trainc.span import Span
from trainc.spec.section import inside, words

TRIGGERS = ("requests_rdma_device()", "network.rdma", "podTemplate")

# Names of InfiniBand and RoCE devices: https://github.com/Mellanox/k8s-rdma-shared-dev-plugin and
# https://github.com/k8snetworkplumbingwg/sriov-network-device-plugin. NCCL does not support AWS's EFA itself.
PARTS, WORDS = ("rdma", "roce", "infiniband", "mlnx", "mlx5", "mlx4"), frozenset(("hca", "ib"))
# Capabilities that include IPC_LOCK.
ENOUGH = (LOCK_MEMORY, "SYS_ADMIN", "ALL")


def check(context: RuleContext) -> Diagnostics:
    """Require the capability for devices in `resources`; `network.rdma` adds it."""
    network = context.spec.network
    if network is not None and network.fabric not in (None, "none"):
        return  # checks/fabric
    rdma = network.rdma if network else None
    device = _device(context)
    if device and not rdma and not _may_lock(context):
        name, span = device
        message = f"`{name}` is requested without {LOCK_MEMORY}: RDMA cannot register its buffers"
        help_ = context.cure(
            Message("use `{network.rdma: {{resource: {}, count: …}}}`, which adds {}", name, LOCK_MEMORY),
            f"add {LOCK_MEMORY} to securityContext.capabilities.add of the container",
        )
        yield warning(codes.RDMA_WITHOUT_IPC_LOCK, message, span, help=help_)
    if rdma and rdma.resource != "vpc.amazonaws.com/efa":
        device = rdma.resource, rdma.where("resource")
    for variable in context.pod.main.user_variables if device else ():
        if (variable.name, variable.value) in (("NCCL_IB_DISABLE", "1"), ("NCCL_NET", "Socket")):
            assert device
            # https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-ib-disable
            message = f"`{variable.name}: {variable.value}` makes NCCL use TCP, and the RDMA devices are unused"
            other = (device[1], "requested here")
            yield warning(codes.RDMA_DISABLED, message, variable.span, help="remove one of them", related=[other])


def _device(context: RuleContext) -> tuple[str, Span] | None:
    resources = context.pod.main.limits | context.pod.main.requests
    names = resource_names((context.spec.resources.node, *patched_resources(context)))
    return next((item for item in names if "/" in item[0] and item[0] in resources and is_rdma(item[0].lower())), None)


def is_rdma(name: str) -> bool:
    """Return whether the name of a resource, in lower case, is that of an RDMA device."""
    return any(part in name for part in PARTS) or bool(WORDS & {*name.replace("/", "_").replace("-", "_").split("_")})


def _may_lock(context: RuleContext) -> bool:
    security_context = inside(context.pod.main.node, "securityContext")
    names = words(inside(security_context, "capabilities"), "add")
    return scalar_text(security_context.get("privileged")) == "true" or any(name in ENOUGH for name in names)
