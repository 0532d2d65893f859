"""Process model of mpirun, on a launcher pod with an operator's hostfile or on worker 0 with trainc's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.commandline.word import Word, parse_count
from trainc.diagnostics.finding import Finding
from trainc.launchers.find_launchers import Call
from trainc.launchers.mpirun.command import mpirun_call
from trainc.launchers.mpirun.placement import Placement, place
from trainc.launchers.mpirun.traits import TRAITS
from trainc.launchers.shared.hostfile import Slots, operator_hostfile, parse_hostfile, rank_of, script_hostfile
from trainc.plan.failures import LOST_POD, FailureCase
from trainc.plan.launch import LaunchCommand, WorkerLaunch
from trainc.plan.process_env import rank_env
from trainc.plan.world import Worker, WorldSize

MASTER = ("MASTER_ADDR", "MASTER_PORT")
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
_ON_WORKER_0 = "on worker 0, over SSH"
_ON_LAUNCHER_POD = "on the launcher pod, over SSH"
_HYDRA_NAME = "mpirun (Hydra)"


def recognize(command: LaunchCommand) -> WorkerLaunch | None:
    """Return the launch of mpirun on a pod of its own, or by trainc's script on worker 0; None for another command."""
    script = _script(command)
    words, hostfile = script or (command.pod.start_command, operator_hostfile(command.surroundings.config_maps))
    call = mpirun_call([Word(text=word) for word in words])
    if call is None:
        return None if command.pod.start_command else _local(command)
    slots, is_open_mpi = parse_hostfile(hostfile), " slots=" in hostfile
    placement = place(call, slots, is_open_mpi)
    launch = _launch(command, call, tuple(words), slots, placement, is_open_mpi, rank_of(command.pod, slots))
    return launch.replace(
        label=f"{launch.label} {_ON_WORKER_0 if script else _ON_LAUNCHER_POD}",
        uses_ssh=True,
        unknown=() if placement.ordered and placement.counts is not None else ("rank",),
    )


def _local(command: LaunchCommand) -> WorkerLaunch | None:
    """Return the launch of mpirun whose only host is its own pod; None for another command."""
    call = mpirun_call([Word(text=word) for word in command.argv])
    host = call.option("host") if call is not None and command.argv[0] == call.name.text else None
    if call is None or host is None or host.text is None or host.text.partition(":")[0] != "localhost":
        return None
    if command.container.value("WORLD_SIZE") is not None:  # of workers that each run a program of their own
        return None
    is_open_mpi = ":" in host.text
    options = {name: option for name, option in call.parsed.options.items() if name != "host"}
    count = call.option("np")
    number = parse_count(host.text.partition(":")[2] or (count.text if count is not None else ""))
    slots = ((command.pod.hostname or command.pod.name, number or 1),)
    placement = place(call.replace(parsed=call.parsed.replace(options=options)), slots, is_open_mpi)
    launch = _launch(command, call, command.argv, slots, placement, is_open_mpi, 0)
    return launch.replace(is_standalone=not launch.rendezvous_host)


def _launch(
    command: LaunchCommand,
    call: Call,
    words: tuple[str, ...],
    slots: Slots,
    placement: Placement,
    is_open_mpi: bool,
    rank: int | None,
) -> WorkerLaunch:
    """Return the launch of the host with a rank, of a command line of mpirun."""
    counts, error = placement.counts, _refusal(placement, slots)
    master, port = (command.container.value(name) or "" for name in MASTER)
    return WorkerLaunch(
        launcher=TRAITS.name,
        label="mpirun" if is_open_mpi else _HYDRA_NAME,
        program=tuple(word.text for word in call.parsed.program) or words,
        processes=counts[rank] if rank is not None and counts is not None else None,
        nodes=(len(slots), len(slots)) if slots else None,
        node_rank=rank,
        rank=sum(counts[:rank]) if rank is not None and counts is not None else None,
        world=sum(counts) if counts is not None else None,
        rendezvous_host=master,
        port=int(port) if port.isdecimal() else None,
        slots=slots,
        needs_gpu_per_process=False,
        command=call.name.text,
        errors=(Finding(message=error),) if error else (),
    )


def _script(command: LaunchCommand) -> tuple[tuple[str, ...], str] | None:
    """Return the command line of mpirun after the script of trainc's pods, and their hostfile; None without one."""
    argv = command.argv
    at = next((at for at, word in enumerate(argv) if word.endswith("/mpirun.py")), len(argv))
    if "--" not in argv[at:] or argv[at + 1] == "debug":
        return None
    hosts = script_hostfile(argv[at], command.pod, command.surroundings.config_maps)
    return None if hosts is None else (argv[argv.index("--", at) + 1 :], hosts)


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
    names = _HYDRA if worker.launch.label.startswith(_HYDRA_NAME) else _OPEN_MPI
    master = {name: value for name, value in env.items() if name.startswith("MASTER_") and value}
    return {**{names[name]: value for name, value in env.items() if name in names}, **master}


def failure_cases(workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """Yield what follows the failure of a process, and without a launcher pod that of a pod."""
    yield FailureCase("a process fails", "mpirun stops all processes and exits with an error")
    if len(workers) > 1 and workers[0].launch.label.endswith(_ON_WORKER_0):
        yield FailureCase(LOST_POD, "mpirun loses the connection to it, stops all processes and exits with an error")
        yield FailureCase("worker 0 is lost", "sshd on the other workers stops their processes, and keeps running")
