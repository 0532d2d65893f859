"""Process model of mpirun on a launcher pod with an operator's hostfile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.commandline.word import Word
from trainc.launchers.mpirun.command import mpirun_call
from trainc.launchers.mpirun.placement import Placement, place
from trainc.launchers.mpirun.traits import TRAITS
from trainc.launchers.shared.hostfile import Slots, is_open_mpi_hostfile, operator_slots, rank_of
from trainc.plan.failures import FailureCase
from trainc.plan.launch import LaunchCommand, WorkerLaunch
from trainc.plan.process_env import rank_env
from trainc.plan.world import Worker, WorldSize

# Names of a process's variables by those of torch.distributed: of Open MPI, and of Intel MPI and MPICH.
_OPEN_MPI = {
    "RANK": "OMPI_COMM_WORLD_RANK",
    "WORLD_SIZE": "OMPI_COMM_WORLD_SIZE",
    "LOCAL_RANK": "OMPI_COMM_WORLD_LOCAL_RANK",
    "LOCAL_WORLD_SIZE": "OMPI_COMM_WORLD_LOCAL_SIZE",
}
_HYDRA = {
    "RANK": "PMI_RANK",
    "WORLD_SIZE": "PMI_SIZE",
    "LOCAL_RANK": "MPI_LOCALRANKID",
    "LOCAL_WORLD_SIZE": "MPI_LOCALNRANKS",
}
LABEL, HYDRA_LABEL = "mpirun on the launcher pod, over SSH", "mpirun (Hydra) on the launcher pod, over SSH"


def recognize(command: LaunchCommand) -> WorkerLaunch | None:
    """Return the launch of mpirun on a pod of its own; None for another command."""
    call = mpirun_call([Word(text=word) for word in command.pod.start_command])
    if call is None:
        return None
    slots = operator_slots(command.objects)
    is_open_mpi = is_open_mpi_hostfile(command.objects)
    rank = rank_of(command.pod, slots)
    placement = place(call, slots, is_open_mpi)
    counts = placement.counts
    error = _refusal(placement, slots)
    master, port = (command.container.value(name) or "" for name in ("MASTER_ADDR", "MASTER_PORT"))
    return WorkerLaunch(
        launcher=TRAITS.name,
        label=LABEL if is_open_mpi else HYDRA_LABEL,
        program=tuple(word.text for word in call.parsed.program) or command.pod.start_command,
        processes=counts[rank] if rank is not None and counts is not None else None,
        nodes=(len(slots), len(slots)) if slots else None,
        node_rank=rank,
        rank=sum(counts[:rank]) if rank is not None and counts is not None else None,
        world=sum(counts) if counts is not None else None,
        rendezvous_host=master,
        port=int(port) if port.isdecimal() else None,
        slots=slots,
        uses_ssh=True,
        needs_gpu_per_process=False,
        command=call.name.text,
        errors=(error,) if error else (),
        unknown=() if placement.ordered and counts is not None else ("rank",),
    )


def _refusal(placement: Placement, slots: Slots) -> str:
    """Return the error with which mpirun exits; empty if all processes have a slot."""
    if placement.problem == "slots":
        wanted, available = placement.total, sum(count for _, count in slots)
        return f"mpirun exits: it is to start {wanted} processes, but the hostfile has {available} slots"
    if placement.problem == "slots of a host":
        wanted, available = placement.per_host, min(count for _, count in slots)
        return f"mpirun exits: it is to start {wanted} processes on each host, but a host has {available} slots"
    if placement.problem:
        limit = f"{placement.per_host} on each of {len(slots)} hosts"
        return f"mpirun exits: it is to start {placement.total} processes, but at most {limit}"
    return ""


def process_env(worker: Worker, workers: Sequence[Worker], size: WorldSize) -> dict[str, str]:
    """Return the variables that a process reads its rank from."""
    env = {**rank_env(worker, worker.launch.world), "LOCAL_WORLD_SIZE": str(worker.launch.processes or "")}
    names = _HYDRA if worker.launch.label == HYDRA_LABEL else _OPEN_MPI
    master = {name: value for name, value in env.items() if name.startswith("MASTER_") and value}
    return {**{names[name]: value for name, value in env.items() if name in names}, **master}


def failure_cases(workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """Yield what follows the failure of a process."""
    yield FailureCase("a process fails", "mpirun stops all processes and exits with an error")
