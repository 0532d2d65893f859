"""Placement of the pods on nodes, their queue and their gang."""

from __future__ import annotations

from trainc.ir.job import Gang, Queue, Replicas, Runtime
from trainc.ir.pod import Colocation, Placement
from trainc.spec.job import TrainingJob
from trainc.spec.scheduling import SPOT_LABELS, SPOT_TAINTED, Scheduling
from trainc.target import Target
from trainc.tpu import ACCELERATOR_LABEL, TOPOLOGY_LABEL


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
