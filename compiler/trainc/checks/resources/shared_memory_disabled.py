"""Shared memory that is disabled, although processes of a pod exchange tensors through it."""

from __future__ import annotations

from trainc.checks.resources.shared_memory import MOUNT
from trainc.checks.rule import Diagnostics, RuleContext, codes, note, remove, warning
from trainc.checks.shared.program_arguments import program_arguments
from trainc.checks.shared.user_fields import gpu_count
from trainc.source.node import scalar_text
from trainc.well_known import SHM_PATH

TRIGGERS = ("sharedMemory",)

# Number of a data loader's processes: Hugging Face's Trainer, PyTorch's ImageNet example, torchvision's references.
LOADER_WORKERS = frozenset(("workers", "j", "num_workers", "n_workers", "nworkers", "dataloader_num_workers"))


def check(context: RuleContext) -> Diagnostics:
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
    pods = context.file_system.traits.pod_changes if context.file_system else ""
    mount = f"{MOUNT}, by `{pods}`" if pods else MOUNT
    help_ = context.cure("remove it for the default of half the memory limit, or set a size", mount)
    severity = note if context.in_own_system and (processes == 1 or not count) else warning
    where = context.spec.where("sharedMemory")
    remedy = None if context.file_kind else remove(where)
    yield severity(codes.SHARED_MEMORY_DISABLED, message, where, help=help_, remedy=remedy)


def _loads_in_process(context: RuleContext) -> bool:
    """Return whether an argument makes the program load data without worker processes.

    https://pytorch.org/docs/stable/data.html#single-process-data-loading
    """
    counts = {each.value.text for each in program_arguments(context) if each.name in LOADER_WORKERS}
    return counts == {"0"}
