"""How many workers."""

from __future__ import annotations

from trainc.ir.job import Replicas
from trainc.spec.job import TrainingJob
from trainc.target import Target


def lower_replicas(job: TrainingJob, target: Target) -> Replicas:
    """`workers`, between the bounds of `elastic`; an elastic job that names no `workers` starts at its minimum, from
    which an autoscaler takes it, or, where the operator makes none, with all."""
    if job.elastic is None:
        return Replicas(minimum=job.workers, initial=job.workers, maximum=job.workers)
    low, high = job.elastic.min_replicas, job.elastic.max_replicas
    scaled = target.system.is_scalable and job.elastic.metrics
    start = high if target.system.first_size == "maximum" and not scaled else low
    return Replicas(minimum=low, initial=job.workers if job.gives("workers") else start, maximum=high)
