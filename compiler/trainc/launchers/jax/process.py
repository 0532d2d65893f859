"""Process model of JAX: a program that passes its process id to jax.distributed.initialize, or runs on slices of TPUs.

On slices JAX finds its place by variables that GKE and the job set:
https://github.com/jax-ml/jax/blob/jax-v0.10.2/jax/_src/clusters/cloud_tpu_cluster.py: the process id is
TPU_WORKER_ID + MEGASCALE_SLICE_ID * workers of a slice. GKE's TPU_WORKER_ID is the index of the pod in its Job.
https://docs.cloud.google.com/kubernetes-engine/docs/how-to/tpu-multislice: slices have no such variable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.commandline.word import parse_count
from trainc.diagnostics.finding import Finding
from trainc.launchers.jax.traits import (
    ABORTED,
    ADDRESS,
    DETECTED_PORT,
    HEARTBEAT_TIMEOUT,
    INITIALIZATION_TIMEOUT,
    LOCAL_DEVICES,
    PROCESS_ID,
    PROCESSES,
    SHUTDOWN_TIMEOUT,
    TPU_PORT,
    TRAITS,
)
from trainc.launchers.ports import MASTER_PORT, host_and_port
from trainc.plan.container import Container
from trainc.plan.failures import FailureCase, duration
from trainc.plan.fields import Object, items, text
from trainc.plan.launch import WAITS, LaunchCommand, WorkerLaunch
from trainc.plan.pods import Pod
from trainc.plan.process_env import rank_env
from trainc.plan.world import Worker, WorldSize
from trainc.tpu import NODE_POOL_LABEL, SLICE_COORDINATOR, SLICE_ID, SLICES, TOPOLOGY_LABEL, TPU, chip_count

LABEL = "JAX, process ids from the environment"
SLICE_LABEL = "JAX on TPUs, process ids from GKE"
_RANKS = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "PET_NNODES")  # of other launchers
_INDEX = "JOB_COMPLETION_INDEX"


def recognize(command: LaunchCommand) -> WorkerLaunch | None:
    """Return the launch of a program with JAX's variables; None without them.

    A wrapper script starts several processes in a pod, and passes each its process id.
    """
    container, arguments = command.container, command.arguments
    is_several = arguments.get("rank_variable") == PROCESS_ID
    address, world_text, rank_text = (container.value(name) for name in (ADDRESS, PROCESSES, PROCESS_ID))
    if command.pod.start_command:
        return None
    if not (is_several or any((address, world_text, rank_text))):
        return _recognize_slice(command)
    if tuple(command.argv) in WAITS and rank_text is None:  # in mode debug the user starts the wrapper script
        return None
    processes = parse_count(arguments.get("count")) if is_several else 1
    node_rank = parse_count(arguments.get("pod") if is_several else rank_text)
    world = parse_count(world_text)
    host, port = host_and_port(address, MASTER_PORT) if address else ("", None)
    return WorkerLaunch(
        launcher=TRAITS.name,
        label=LABEL,
        program=command.argv,
        processes=processes,
        nodes=None if world is None or not processes else (world // processes, world // processes),
        node_rank=node_rank,
        rank=None if node_rank is None or processes is None else node_rank * processes,
        world=world,
        rendezvous_host=host,
        port=port,
        needs_gpu_per_process=False,
        errors=tuple(_errors(world, processes, address)),
    )


def _errors(world: int | None, processes: int | None, address: str | None) -> Iterator[Finding]:
    if world is not None and world > 1 and address is None:
        yield Finding(message=f"`{ADDRESS}` is not set", about=(ADDRESS,))
    if address and ":" not in address:
        message = f"`{ADDRESS}` is `{address}`, without a port: jax.distributed.initialize fails"
        yield Finding(message=message, about=(ADDRESS, address))
    if world is not None and processes and world % processes:
        yield Finding(message=f"{world} processes in all are not a multiple of {processes} processes per pod")


def process_env(worker: Worker, workers: Sequence[Worker], size: WorldSize) -> dict[str, str]:
    """Return the variables that a process reads its rank from."""
    env = rank_env(worker, worker.launch.world)
    if worker.launch.label == SLICE_LABEL:  # which has no variables with the process id
        names = (SLICE_COORDINATOR, SLICES, SLICE_ID, DETECTED_PORT)
        return {name: value for name in names if (value := worker.container.value(name)) is not None}
    variables = {PROCESS_ID: env["RANK"], PROCESSES: env["WORLD_SIZE"], ADDRESS: worker.container.value(ADDRESS) or ""}
    local = env.get("LOCAL_RANK") if worker.launch.processes != 1 else worker.container.value(LOCAL_DEVICES)
    return variables if local is None else {**variables, LOCAL_DEVICES: local}


def failure_cases(workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """Yield what JAX does about lost processes: docs/behavior.md has what was observed."""
    launch = workers[0].launch
    if launch.world == 1:
        return
    aborts = f"abort with exit code {ABORTED}"
    if (launch.processes or 0) > 1:
        effect = "the wrapper script stops the other processes of the pod, and the container fails"
        yield FailureCase("a process fails", effect)
    limits = f"all processes {aborts} after {duration(INITIALIZATION_TIMEOUT)}, the default of initialization_timeout"
    yield FailureCase("a worker is missing at the start", limits)
    yield FailureCase("process 0, with the coordinator, is lost", f"all others {aborts} within seconds")
    seconds = f"{duration(HEARTBEAT_TIMEOUT)}, the default of heartbeat_timeout_seconds"
    shutdown = (
        f"it waits for the others up to {duration(SHUTDOWN_TIMEOUT)} (shutdown_timeout_seconds), then all {aborts}"
    )
    yield FailureCase("a program exits with an error", shutdown)
    yield FailureCase("another process is lost", f"all others {aborts} within {seconds}")


def _recognize_slice(command: LaunchCommand) -> WorkerLaunch | None:
    """Return the launch of a program on one of several hosts with TPUs; None for another program."""
    pod, container = command.pod, command.container
    chips = parse_count(text(_manifest(pod, container), "resources", "limits", TPU))
    topology = chip_count(text(pod.spec, "nodeSelector", TOPOLOGY_LABEL))
    if not chips or not topology or any(container.value(name) is not None for name in _RANKS):
        return None
    # In pods whose Job has a node pool for itself GKE sets the variables of slices, unless the job does.
    is_set_by_gke = NODE_POOL_LABEL in pod.annotations.values()
    hosts, slices = topology // chips, parse_count(container.value(SLICES) or ("" if is_set_by_gke else "1"))
    number = parse_count(container.value(_INDEX))
    slice_id = parse_count(container.value(SLICE_ID) or ("" if is_set_by_gke else "0"))
    if hosts < 2 and slices == 1:
        return None
    world = None if slices is None else hosts * slices
    rank = number + slice_id * hosts if number is not None and slice_id is not None else None
    return WorkerLaunch(
        launcher=TRAITS.name,
        label=SLICE_LABEL,
        program=command.argv,
        processes=1,
        nodes=None if world is None else (world, world),
        node_rank=rank,
        rank=rank,
        world=world,
        rendezvous_host=container.value(SLICE_COORDINATOR) or "",
        port=parse_count(container.value(DETECTED_PORT)) or TPU_PORT,
        needs_gpu_per_process=False,
        unknown=("node_rank", "rank") if rank is None else (),
    )


def _manifest(pod: Pod, container: Container) -> Object:
    return next((each for each in items(pod.spec, "containers") if text(each, "name") == container.name), {})
