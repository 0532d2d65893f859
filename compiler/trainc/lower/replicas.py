"""How many workers."""

from __future__ import annotations

from trainc.ir.job import Replicas
from trainc.spec.job import TrainingJob


def lower_replicas(job: TrainingJob) -> Replicas:
    """`workers`, between the bounds of `elastic`; an elastic job that names no `workers` starts at its minimum."""
    if job.elastic is None:
        return Replicas(minimum=job.workers, initial=job.workers, maximum=job.workers)
    low, high = job.elastic.min_replicas, job.elastic.max_replicas
    return Replicas(minimum=low, initial=job.workers if job.gives("workers") else low, maximum=high)
