"""Shared memory that is missing, too large, or no memory of the pod's own.

Processes of a pod hand tensors to each other through /dev/shm: data loaders, NCCL, torch.multiprocessing.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.checks.shared.patched import Mounted, main_limits, mounts, patch_of
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error, warning
from trainc.lower.resources import gpus
from trainc.quantity import MEBIBYTE, NANO, nanos
from trainc.source.node import scalar_text
from trainc.span import span_of
from trainc.spec.volumes import SHM_PATH

TRIGGERS = ("sharedMemory", "volumes", "podTemplate")


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """By what is mounted at /dev/shm; memory of other volumes counts against the same limit."""
    mounted = mounts(context)
    there = next((mount for mount in mounted if mount.path == SHM_PATH), None)
    if there is None:
        yield from _missing(context)
    elif not there.by_trainc:
        yield from _kind(context, there)
    seen = {mount.volume.name: mount for mount in mounted if _in_memory(mount)}
    for mount in seen.values():
        yield from _size(context, mount)


def _in_memory(mount: Mounted) -> bool:
    return mount.volume.kind == "emptyDir" and mount.volume.source.get("medium") == "Memory"


def _missing(context: RuleContext) -> Iterator[Diagnostic]:
    """The runtime's own /dev/shm has 64 MiB: https://docs.docker.com/reference/cli/docker/container/run/"""
    count, processes = gpus(context.spec.resources), context.job.processes_per_pod
    shared = scalar_text(patch_of(context).get("hostIPC")) == "true"
    if context.spec.shared_memory is not False or shared or (count == 0 and processes == 1):
        return
    who = f"{processes or 'several'} processes" if processes != 1 else "the data loaders of a process with a GPU"
    message = f"without shared memory /dev/shm has 64 MiB, and {who} hand tensors to each other there"
    help_ = "leave sharedMemory out for half of the memory limit, or give its size"
    yield warning(codes.SHARED_MEMORY_DISABLED, message, context.spec.where("sharedMemory"), help=help_)


def _kind(context: RuleContext, mount: Mounted) -> Iterator[Diagnostic]:
    """https://kubernetes.io/docs/concepts/storage/volumes/#emptydir"""
    volume, where = mount.volume, mount.origin or context.job.origin
    help_ = "leave the volume out and give sharedMemory its size"
    if volume.kind == "hostPath":
        message = "this /dev/shm is the node's: what a killed process leaves there stays, and no pod's limit bounds it"
        yield warning(codes.SHARED_MEMORY_HOST_PATH, message, where, help=help_)
    elif not _in_memory(mount):
        kind = (
            "an emptyDir without `medium: Memory`"
            if volume.kind == "emptyDir"
            else f"a volume of the kind {volume.kind}"
        )
        message = f"this /dev/shm is {kind}: tensors go through a disk"
        yield warning(codes.SHARED_MEMORY_ON_DISK, message, where, help=help_)
    elif "sizeLimit" not in volume.source and "memory" not in main_limits(context):
        message = "this /dev/shm has no size and the pod no memory limit: it may take all memory of the node"
        help_ = "give emptyDir.sizeLimit or resources.memory"
        yield warning(codes.SHARED_MEMORY_UNBOUNDED, message, where, help=help_)


def _size(context: RuleContext, mount: Mounted) -> Iterator[Diagnostic]:
    """https://kubernetes.io/docs/concepts/storage/volumes/#emptydir: it counts against the container's limit."""
    size, limit = mount.volume.source.get("sizeLimit"), main_limits(context).get("memory")
    if size is None:
        return
    where = span_of(size) or mount.volume.origin or context.job.origin
    if 0 < nanos(str(size)) < MEBIBYTE:
        message = f"{size} is {nanos(str(size)) // NANO} bytes, in which no tensor fits"
        help_ = f"did you mean {size}Gi?" if str(size).isdecimal() else None
        yield error(codes.IMPOSSIBLE_QUANTITY, message, where, help=help_)
    if limit is None or nanos(str(size)) < nanos(limit):
        return
    other = Related(span=span_of(limit) or context.spec.resources.where("memory"), message="the memory limit")
    what = "shared memory" if mount.path == SHM_PATH else f"the memory of `{mount.volume.name}`"
    message = f"{what} of {size} can't fill up: it counts against the memory limit of {limit}"
    # As much as the limit may be meant as no bound of its own: the program only must not fill it.
    says = error if nanos(str(size)) > nanos(limit) else warning
    yield says(
        codes.SHARED_MEMORY_OVER_LIMIT, message, where, help="leave the program some of the memory", related=[other]
    )
