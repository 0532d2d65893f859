"""Size of the job and of each worker, autoscaling, and the placement, queue and gang of the pods."""

from __future__ import annotations

from trainc.ir.job import Gang, Queue, Replicas, Runtime, Scaling
from trainc.ir.pod import Colocation, Placement
from trainc.span import text_of
from trainc.spec.job import TrainingJob
from trainc.spec.scheduling import SPOT_LABELS, SPOT_TAINTED, Scheduling
from trainc.spec.worker import GPU_CORES, GPU_MEMORY, Rdma, Resources
from trainc.systems.shared.autoscaler import DEFAULT_METRIC
from trainc.target import Target
from trainc.tpu import ACCELERATOR_LABEL, TOPOLOGY_LABEL, TPU


def lower_replicas(job: TrainingJob, target: Target) -> Replicas:
    """Return the bounds of `elastic` and the number of pods at the start, which is `workers` on every system.

    Without `workers` an elastic job starts at its minimum, from which an autoscaler grows it, or at its maximum where
    it has no autoscaler.
    """
    if job.elastic is None:
        return Replicas(minimum=job.workers, initial=job.workers, maximum=job.workers)
    low, high = job.elastic.min_replicas, job.elastic.max_replicas
    default = high if lower_scaling(job, target) is None else low
    return Replicas(minimum=low, initial=job.workers if job.has("workers") else default, maximum=high)


def lower_scaling(job: TrainingJob, target: Target) -> Scaling | None:
    """Return the metrics; None without an autoscaler, as for a job of fixed size and for `metrics: []`.

    An operator may create an autoscaler only if the job has metrics. Pods in debug mode only wait.
    """
    autoscaling = target.system.autoscaling
    if job.elastic is None or job.elastic.metrics == [] or job.mode.name == "debug" or autoscaling == "never":
        return None
    if autoscaling == "on request" and job.elastic.metrics is None:
        return None
    metrics = job.elastic.metrics or [DEFAULT_METRIC]
    return Scaling(metrics=metrics, behavior=job.elastic.behavior, origin=job.elastic.where("metrics"))


def lower_resources(resources: Resources, rdma: Rdma | None) -> tuple[dict[str, str], dict[str, str]]:
    """Return requests and limits by Kubernetes' names. Devices are in both, as the API server requires."""
    gpu = resources.gpu
    both = dict(resources.both)
    if gpu is not None and gpu.count > 0:
        both[gpu.resource] = text_of(gpu.count)
        if gpu.memory is not None:
            both[GPU_MEMORY] = text_of(gpu.memory)
        if gpu.cores is not None:
            both[GPU_CORES] = text_of(gpu.cores)
    if resources.tpu is not None:
        both[TPU] = text_of(resources.tpu.chips_per_worker)
    devices = {rdma.resource: text_of(rdma.count)} if rdma else {}
    return {**both, **resources.requests, **devices}, {**both, **resources.limits, **devices}


def lower_placement(job: TrainingJob, replicas: Replicas) -> Placement:
    """Return the job's own rules and those of spot nodes. A single worker needs no spreading."""
    scheduling, topology = job.scheduling, job.scheduling.topology
    node_selector, tolerations = scheduling.node_selector, scheduling.tolerations
    if (tpu := job.resources.tpu) is not None:
        node_selector = {**(node_selector or {}), ACCELERATOR_LABEL: tpu.accelerator, TOPOLOGY_LABEL: tpu.topology}
    if scheduling.spot:  # nodes with the provider's label, tainted ones included
        key, value = SPOT_LABELS[scheduling.spot]
        node_selector, tolerations = {**(node_selector or {}), key: value}, list(tolerations or [])
        tolerated = {"key": key, "operator": "Equal", "value": value, "effect": "NoSchedule"}
        if scheduling.spot in SPOT_TAINTED and tolerated not in tolerations:
            tolerations.append(tolerated)
    return Placement(
        node_selector=node_selector,
        affinity=scheduling.affinity,
        tolerations=tolerations,
        topology_spread_constraints=scheduling.topology_spread_constraints,
        priority_class_name=scheduling.priority_class_name,
        scheduler_name=scheduling.scheduler_name,
        one_a_node=scheduling.one_worker_per_node and replicas.maximum > 1,
        colocation=Colocation(key=topology.key, required=topology.required) if topology else None,
    )


def lower_queue(scheduling: Scheduling) -> Queue | None:
    """Return the queue."""
    queue = scheduling.queue
    return Queue(name=queue.name, priority_class=queue.priority_class) if queue else None


def lower_runtime(scheduling: Scheduling) -> Runtime | None:
    """Return the runtime that the job uses."""
    runtime = scheduling.runtime
    return Runtime(kind=runtime.kind, name=runtime.name) if runtime else None


def lower_gang(scheduling: Scheduling, replicas: Replicas, target: Target) -> Gang | None:
    """Return a gang of all workers, or of the minimum of an elastic job, which can train with fewer."""
    gang = scheduling.gang
    if gang is None:
        return None
    return Gang(
        scheduler=gang.scheduler,
        minimum=replicas.minimum,
        queue=gang.queue,
        priority=gang.priority,
        version=target.minor,
    )
