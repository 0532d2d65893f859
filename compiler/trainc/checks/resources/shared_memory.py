"""Shared memory that is too large, or not memory of the pod; in-memory volumes.

Processes of a pod exchange tensors through /dev/shm: data loaders, NCCL, torch.multiprocessing.
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, likely, warning
from trainc.checks.shared.pod import Mounted
from trainc.quantity import MEBIBYTE, NANO, nanos
from trainc.span import span_of
from trainc.well_known import SHM_PATH, is_node_memory

TRIGGERS = ("sharedMemory", "volumes", "podTemplate")

MOUNT = "mount an emptyDir with `medium: Memory` and a `sizeLimit` there"


def check(context: RuleContext) -> Diagnostics:
    """Check the mount at /dev/shm, and all in-memory volumes, which count against the same limit."""
    mounts = context.pod.mounts
    shm = next((mount for mount in mounts if mount.path == SHM_PATH), None)
    if shm is not None and not shm.by_trainc:
        yield from _kind(context, shm)
    for mount in {mount.volume.name: mount for mount in mounts if _is_in_memory(mount)}.values():
        yield from _size(context, mount)


def _is_in_memory(mount: Mounted) -> bool:
    return mount.volume.kind == "emptyDir" and mount.volume.source.get("medium") == "Memory"


def _kind(context: RuleContext, mount: Mounted) -> Diagnostics:
    """Require memory of the pod: https://kubernetes.io/docs/concepts/storage/volumes/#emptydir"""
    volume = mount.volume
    help_ = context.cure(Message("remove the volume, and set {sharedMemory}"), MOUNT)
    message = "the volume at /dev/shm "
    if volume.kind == "hostPath" and is_node_memory(str(volume.source.get("path"))):
        code = codes.SHARED_MEMORY_HOST_PATH
        message += "is the node's: data of killed processes stays there, and no pod's limit applies"
    elif not _is_in_memory(mount):
        code = codes.SHARED_MEMORY_ON_DISK
        kind = "an emptyDir without `medium: Memory`" if volume.kind == "emptyDir" else f"a {volume.kind} volume"
        message += f"is {kind}: tensors pass through a disk"
    elif "sizeLimit" not in volume.source and "memory" not in context.pod.main.limits:
        code, help_ = codes.SHARED_MEMORY_UNBOUNDED, Message("set emptyDir.sizeLimit or {resources.memory}")
        message += "has no `sizeLimit` and the pod no memory limit: it may use all memory of the node"
    else:
        return
    yield warning(code, message, mount.origin or context.job.origin, help=help_)


def _size(context: RuleContext, mount: Mounted) -> Diagnostics:
    """Compare with the container's limit: https://kubernetes.io/docs/concepts/storage/volumes/#emptydir"""
    limit, size_limit = context.pod.main.limits.get("memory"), mount.volume.source.get("sizeLimit")
    if size_limit is None:
        return
    where = span_of(size_limit) or mount.volume.origin or context.job.origin
    text, size = str(size_limit), nanos(str(size_limit))
    if 0 < size < MEBIBYTE:
        help_, remedy = likely(f"{text}Gi", where) if text.isdecimal() else (None, None)
        yield error(
            codes.IMPOSSIBLE_QUANTITY, f"`{text}` is only {size // NANO} bytes", where, help=help_, remedy=remedy
        )
    if limit is None or size < nanos(limit):
        return
    other = (span_of(limit) or context.spec.resources.where("memory"), "the memory limit")
    volume = "shared memory" if mount.path == SHM_PATH else f"in-memory volume `{mount.volume.name}`"
    message = f"{volume} of {text} is not below the memory limit of {limit}"
    message += ": the container is OOM-killed before it is full"
    # A size equal to the limit can mean "no limit of its own".
    severity, help_ = error if size > nanos(limit) else warning, "reduce it, or raise the memory limit"
    yield severity(codes.SHARED_MEMORY_OVER_LIMIT, message, where, help=help_, related=[other])
