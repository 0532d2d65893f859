"""Shared memory that is disabled, too large, or not memory of the pod.

Processes of a pod exchange tensors through /dev/shm: data loaders, NCCL, torch.multiprocessing.
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Related, RuleContext, codes, error, warning
from trainc.checks.shared.gpu_count import gpu_count
from trainc.checks.shared.pod import Mounted
from trainc.quantity import MEBIBYTE, NANO, nanos
from trainc.source.node import scalar_text
from trainc.span import span_of
from trainc.well_known import SHM_PATH

TRIGGERS = ("sharedMemory", "volumes", "podTemplate")


def check(context: RuleContext) -> Diagnostics:
    """Check the mount at /dev/shm, and all in-memory volumes, which count against the same limit."""
    mounted = context.pod.mounts
    shm_mount = next((mount for mount in mounted if mount.path == SHM_PATH), None)
    if shm_mount is None:
        yield from _missing(context)
    elif not shm_mount.by_trainc:
        yield from _kind(context, shm_mount)
    seen = {mount.volume.name: mount for mount in mounted if _in_memory(mount)}
    for mount in seen.values():
        yield from _size(context, mount)


def _in_memory(mount: Mounted) -> bool:
    return mount.volume.kind == "emptyDir" and mount.volume.source.get("medium") == "Memory"


def _missing(context: RuleContext) -> Diagnostics:
    """The runtime's default /dev/shm has 64 MiB: https://docs.docker.com/reference/cli/docker/container/run/"""
    count, processes = gpu_count(context), context.job.launch.process_count
    shared = scalar_text(context.pod.spec.get("hostIPC")) == "true"
    if context.spec.shared_memory is not False or shared or (count == 0 and processes == 1):
        return
    users = f"{processes or 'several'} processes" if processes != 1 else "data loaders"
    message = f"shared memory is disabled: /dev/shm has 64 MiB for the tensors of {users}"
    help_ = "remove it for the default of half the memory limit, or set a size"
    yield warning(codes.SHARED_MEMORY_DISABLED, message, context.spec.where("sharedMemory"), help=help_)


def _kind(context: RuleContext, mount: Mounted) -> Diagnostics:
    """https://kubernetes.io/docs/concepts/storage/volumes/#emptydir"""
    volume, where = mount.volume, mount.origin or context.job.origin
    help_ = "remove the volume, and set sharedMemory"
    if volume.kind == "hostPath":
        message = (
            "the volume at /dev/shm is the node's: data of killed processes stays there, and no pod's limit applies"
        )
        yield warning(codes.SHARED_MEMORY_HOST_PATH, message, where, help=help_)
    elif not _in_memory(mount):
        kind = "an emptyDir without `medium: Memory`" if volume.kind == "emptyDir" else f"a {volume.kind} volume"
        message = f"the volume at /dev/shm is {kind}: tensors pass through a disk"
        yield warning(codes.SHARED_MEMORY_ON_DISK, message, where, help=help_)
    elif "sizeLimit" not in volume.source and "memory" not in context.pod.main.limits:
        message = (
            "the volume at /dev/shm has no `sizeLimit` and the pod no memory limit: it may use all memory of the node"
        )
        help_ = "set emptyDir.sizeLimit or resources.memory"
        yield warning(codes.SHARED_MEMORY_UNBOUNDED, message, where, help=help_)


def _size(context: RuleContext, mount: Mounted) -> Diagnostics:
    """https://kubernetes.io/docs/concepts/storage/volumes/#emptydir: it counts against the container's limit."""
    size, limit = mount.volume.source.get("sizeLimit"), context.pod.main.limits.get("memory")
    if size is None:
        return
    where = span_of(size) or mount.volume.origin or context.job.origin
    if 0 < nanos(str(size)) < MEBIBYTE:
        message = f"`{size}` is only {nanos(str(size)) // NANO} bytes"
        help_ = f"did you mean {size}Gi?" if str(size).isdecimal() else None
        yield error(codes.IMPOSSIBLE_QUANTITY, message, where, help=help_)
    if limit is None or nanos(str(size)) < nanos(limit):
        return
    other = Related(span=span_of(limit) or context.spec.resources.where("memory"), message="the memory limit")
    what = "shared memory" if mount.path == SHM_PATH else f"in-memory volume `{mount.volume.name}`"
    message = (
        f"{what} of {size} is not below the memory limit of {limit}: the container is OOM-killed before it is full"
    )
    # A size equal to the limit can mean "no limit of its own".
    severity = error if nanos(str(size)) > nanos(limit) else warning
    yield severity(
        codes.SHARED_MEMORY_OVER_LIMIT, message, where, help="reduce it, or raise the memory limit", related=[other]
    )
