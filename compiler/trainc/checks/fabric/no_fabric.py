"""Several workers with the GPUs of whole nodes, between which NCCL uses TCP.

A warning from 8 GPUs a worker on: machines with so many have a network of their own for them, over which NCCL is many
times faster. Nodes with fewer mostly have none, and a warning would be about nothing. Other systems' manifests have no
field that states a job's network, which a webhook may add to their pods: there from 4 such workers on.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, warning
from trainc.checks.shared.user_fields import gpu_count
from trainc.checks.triggers import NODE_GPUS
from trainc.source.node import mappings, scalar_text
from trainc.spec.section import inside

TRIGGERS = ("may_need_fabric()",)

# GPUs whose collectives use the network by NCCL, or by RCCL, which reads the same variables.
_GPUS = ("nvidia.com/", "amd.com/")
# Resources of GPUs and their shares; any other extended resource may be the fabric's.
_NO_FABRIC = ("/gpu", "/gpumem", "/gpucores", "/mig-", "gpumem-percentage")
# Variables of a fabric: of NCCL, libfabric and plug-ins.
_VARIABLES = ("NCCL_IB_", "NCCL_NET", "FI_", "NCCL_FASTRAK_", "NCCL_GPUDIRECTTCPX", "RDMAV_", "NCCL_COLLNET_")
_MANY = 4
_TCP = (("NCCL_IB_DISABLE", "1"), ("NCCL_NET", "Socket"))
# The same, and scripts that set them, in lower-case command lines.
_WORDS = ("nccl_ib_", "nccl_net", "fi_provider", "nccl_fastrak", "set_nccl_env", "nccl-env-profile", "btl_openib")


def check(context: RuleContext) -> Diagnostics:
    """Report the workers at their GPUs, or at the variable that makes NCCL use TCP."""
    count, gpus, spec = context.job.replicas.maximum, gpu_count(context), context.spec
    is_manifest = bool(context.file_kind) or context.in_own_system
    if count < (_MANY if is_manifest else 2) or gpus < NODE_GPUS or context.is_own:
        return
    if spec.scheduling.runtime is not None:  # its pods have a fabric of their own
        return
    if spec.network is not None and spec.network.fabric is not None:
        return
    names = {**context.pod.main.requests, **context.pod.main.limits}
    if not any(name.startswith(_GPUS) for name in names) or any(_evidence(context, names)):
        return
    what = f"{count} workers with {gpus} GPUs each"
    variables = context.pod.main.user_variables
    tcp = next((variable for variable in variables if (variable.name, variable.value) in _TCP), None)
    help_ = context.cure(
        (
            Message("set `{network.fabric}` to the network of the nodes, such as efa or infiniband"),
            Message("set `{network.fabric: none}` if they have only Ethernet"),
        ),
        "request the devices of the nodes' network, such as vpc.amazonaws.com/efa",
    )
    if tcp is not None:
        message = f"`{tcp.name}: {tcp.value}` makes NCCL use TCP between {what}"
        yield warning(codes.NO_FABRIC, message, tcp.span, help=help_)
        return
    where = spec.resources.where("gpu", *spec.resources.both, "limits", "requests")
    yield warning(codes.NO_FABRIC, f"{what} have no fabric: NCCL uses TCP between them", where, help=help_)


def _evidence(context: RuleContext, names: dict[str, str]) -> Iterator[bool]:
    """Yield whether each part of the pod may belong to a fabric."""
    pod, main = context.pod.spec, context.pod.main
    yield any("/" in name and not name.endswith(_NO_FABRIC) and "/mig-" not in name for name in names)
    pairs = ((variable.name, variable.value) for variable in main.user_variables)
    yield any(pair[0].startswith(_VARIABLES) and pair not in (*_TCP, ("NCCL_IB_DISABLE", "0")) for pair in pairs)
    yield any("network" in name for name in inside(inside(context.pod.template, "metadata"), "annotations").entries)
    yield "resourceClaims" in pod.entries or scalar_text(pod.get("hostNetwork")) == "true"
    yield scalar_text(inside(main.node, "securityContext").get("privileged")) == "true"
    paths = [scalar_text(inside(volume, "hostPath").get("path")) for volume in mappings(pod.get("volumes"))]
    yield any(path.startswith("/dev/") for path in paths)
    text = "\n".join([*main.words("command"), *main.words("args")]).lower()
    yield any(word in text for word in _WORDS)
