"""Shared memory that is disabled, too large, or not memory of the pod.

Processes of a pod exchange tensors through /dev/shm: data loaders, NCCL, torch.multiprocessing.
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, note, warning
from trainc.checks.shared.pod import Mounted
from trainc.checks.shared.program_arguments import program_arguments
from trainc.checks.shared.user_fields import gpu_count
from trainc.quantity import MEBIBYTE, NANO, nanos
from trainc.source.node import scalar_text
from trainc.span import span_of
from trainc.well_known import SHM_PATH, is_node_memory

TRIGGERS = ("sharedMemory", "volumes", "podTemplate")

# Number of a data loader's processes: Hugging Face's Trainer, PyTorch's ImageNet example, torchvision's references.
LOADER_WORKERS = frozenset(("workers", "j", "num_workers", "n_workers", "nworkers", "dataloader_num_workers"))
MOUNT = "mount an emptyDir with `medium: Memory` and a `sizeLimit` there"


def check(context: RuleContext) -> Diagnostics:
    """Check the mount at /dev/shm, and all in-memory volumes, which count against the same limit."""
    mounts = context.pod.mounts
    shm = next((mount for mount in mounts if mount.path == SHM_PATH), None)
    if shm is None:
        yield from _missing(context)
    elif not shm.by_trainc:
        yield from _kind(context, shm)
    for mount in {mount.volume.name: mount for mount in mounts if _is_in_memory(mount)}.values():
        yield from _size(context, mount)


def _is_in_memory(mount: Mounted) -> bool:
    return mount.volume.kind == "emptyDir" and mount.volume.source.get("medium") == "Memory"


def _missing(context: RuleContext) -> Diagnostics:
    """Report missing shared memory: the runtime's /dev/shm has 64 MiB, https://docs.docker.com/reference/cli/docker/container/run/"""
    count, processes = gpu_count(context), context.job.launch.process_count
    shared = scalar_text(context.pod.spec.get("hostIPC")) == "true" or context.pod.mount_of(SHM_PATH) is not None
    if context.spec.shared_memory is not False or shared:
        return
    if processes == 1 and (count == 0 or _loads_in_process(context)):
        return
    users = f"{processes or 'several'} processes" if processes != 1 else "data loaders"
    # Another system's file does not disable it: without several processes on GPUs it may well be enough.
    state = "nothing is mounted at /dev/shm, which" if context.file_kind else "shared memory is disabled: /dev/shm"
    message = f"{state} has 64 MiB for the tensors of {users}"
    help_ = context.cure("remove it for the default of half the memory limit, or set a size", MOUNT)
    severity = note if context.in_own_system and (processes == 1 or not count) else warning
    yield severity(codes.SHARED_MEMORY_DISABLED, message, context.spec.where("sharedMemory"), help=help_)


def _loads_in_process(context: RuleContext) -> bool:
    """Return whether an argument makes the program load data without worker processes.

    https://pytorch.org/docs/stable/data.html#single-process-data-loading
    """
    counts = {each.value.text for each in program_arguments(context) if each.name in LOADER_WORKERS}
    return counts == {"0"}


def _kind(context: RuleContext, mount: Mounted) -> Diagnostics:
    """Require memory of the pod: https://kubernetes.io/docs/concepts/storage/volumes/#emptydir"""
    volume, help_ = mount.volume, context.cure("remove the volume, and set sharedMemory", MOUNT)
    message = "the volume at /dev/shm "
    if volume.kind == "hostPath" and is_node_memory(str(volume.source.get("path"))):
        code = codes.SHARED_MEMORY_HOST_PATH
        message += "is the node's: data of killed processes stays there, and no pod's limit applies"
    elif not _is_in_memory(mount):
        code = codes.SHARED_MEMORY_ON_DISK
        kind = "an emptyDir without `medium: Memory`" if volume.kind == "emptyDir" else f"a {volume.kind} volume"
        message += f"is {kind}: tensors pass through a disk"
    elif "sizeLimit" not in volume.source and "memory" not in context.pod.main.limits:
        code, help_ = codes.SHARED_MEMORY_UNBOUNDED, "set emptyDir.sizeLimit or resources.memory"
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
        help_ = f"did you mean {text}Gi?" if text.isdecimal() else None
        yield error(codes.IMPOSSIBLE_QUANTITY, f"`{text}` is only {size // NANO} bytes", where, help=help_)
    if limit is None or size < nanos(limit):
        return
    other = (span_of(limit) or context.spec.resources.where("memory"), "the memory limit")
    volume = "shared memory" if mount.path == SHM_PATH else f"in-memory volume `{mount.volume.name}`"
    message = f"{volume} of {text} is not below the memory limit of {limit}"
    message += ": the container is OOM-killed before it is full"
    # A size equal to the limit can mean "no limit of its own".
    severity, help_ = error if size > nanos(limit) else warning, "reduce it, or raise the memory limit"
    yield severity(codes.SHARED_MEMORY_OVER_LIMIT, message, where, help=help_, related=[other])
