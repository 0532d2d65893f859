"""Process model of JAX on slices of TPUs, where it finds its place by variables that GKE and the job set.

https://github.com/jax-ml/jax/blob/jax-v0.10.2/jax/_src/clusters/cloud_tpu_cluster.py: the process id is
TPU_WORKER_ID + MEGASCALE_SLICE_ID * workers of a slice. GKE's TPU_WORKER_ID is the index of the pod in its Job.
https://docs.cloud.google.com/kubernetes-engine/docs/how-to/tpu-multislice: slices have no such variable.
"""

from __future__ import annotations

from trainc.commandline.word import parse_count
from trainc.launchers.jax.traits import DETECTED_PORT, TPU_PORT, TRAITS
from trainc.plan.container import Container
from trainc.plan.fields import Object, items, text
from trainc.plan.launch import LaunchCommand, WorkerLaunch
from trainc.plan.pods import Pod
from trainc.tpu import NODE_POOL_LABEL, SLICE_COORDINATOR, SLICE_ID, SLICES, TOPOLOGY_LABEL, TPU, chip_count

LABEL = "JAX on TPUs, process ids from GKE"
_RANKS = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "PET_NNODES")  # of other launchers
_INDEX = "JOB_COMPLETION_INDEX"


def recognize_slice(command: LaunchCommand) -> WorkerLaunch | None:
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
        label=LABEL,
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
