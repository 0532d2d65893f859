"""Number of processes in a pod compared with its GPUs."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Help, Message, Remedy, RuleContext, codes, error, warning
from trainc.checks.shared.user_fields import gpu_count
from trainc.source.node import plain
from trainc.span import Span
from trainc.systems.shared.devices import may_have_uncounted_gpus


def compare_with_gpus(
    context: RuleContext, count: int | str, where: Span, help: Help, remedy: Remedy | None = None
) -> Diagnostics:
    """Launchers expect one process per GPU: each process uses the GPU of its local rank."""
    gpus = gpu_count(context)
    if (
        count == "gpu"
        and not gpus
        and not may_have_uncounted_gpus(plain(context.pod.spec), plain(context.pod.main.node))
    ):
        # https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/run.py, determine_local_world_size
        required = Message("`{launch.torchrun/nprocPerNode: gpu}` requires a GPU: torchrun fails")
        help_ = (Message("set {resources.gpu}"), "set a number of processes")
        yield error(codes.GPU_COUNT_MISMATCH, required, where, help=help_)
    if not isinstance(count, int) or not gpus or count == gpus:
        return
    severity, plural = warning, "s" * (gpus > 1)
    if count < gpus:
        message = f"{count} process{'es' * (count > 1)} per pod with {gpus} GPUs: {gpus - count} may be idle"
    elif _are_shares(context):
        message = f"{count} processes per pod, but only {gpus} GPU share{plural}: NCCL needs a GPU per process"
    else:
        message, severity = f"{count} processes per pod, but only {gpus} GPU{plural}", error
    other = (_gpu_span(context, gpus), "conflicts with this")
    yield severity(codes.GPU_COUNT_MISMATCH, message, where, help=help, related=[other], remedy=remedy)


def _gpu_span(context: RuleContext, gpus: int) -> Span:
    resources, main = context.spec.resources, context.pod.main
    if main.is_patched("resources") and gpus != resources.gpu_count:
        return main.node.entries["resources"].key.span
    gpu = resources.gpu
    if resources.has("gpu"):
        return gpu.where("count") if gpu and gpu.has("count") else resources.where("gpu")
    return resources.where("limits", "requests", *resources.both)


def _are_shares(context: RuleContext) -> bool:
    """Return whether the resources are shares of GPUs, which several processes may use."""
    gpu, main = context.spec.resources.gpu, context.pod.main
    if gpu is not None and (gpu.memory is not None or gpu.cores is not None or "shared" in gpu.resource):
        return True
    names = main.requests | main.limits
    return any("/mig-" in name or "shared" in name or "gpumem" in name for name in names)
