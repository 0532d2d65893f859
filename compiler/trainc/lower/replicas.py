"""Number of workers."""

from __future__ import annotations

from trainc.ir.job import Replicas
from trainc.spec.job import TrainingJob
from trainc.target import Target


def lower_replicas(job: TrainingJob, target: Target) -> Replicas:
    """Return the bounds of `elastic` and the first size, by default `workers`.

    Without `workers` an elastic job starts at its minimum, from which an autoscaler grows it, or at its maximum where
    the operator creates no autoscaler.
    """
    if job.elastic is None:
        return Replicas(minimum=job.workers, initial=job.workers, maximum=job.workers)
    low, high = job.elastic.min_replicas, job.elastic.max_replicas
    scaled = target.system.is_scalable and job.elastic.metrics
    start = high if target.system.first_size == "maximum" and not scaled else low
    return Replicas(minimum=low, initial=job.workers if job.gives("workers") else start, maximum=high)
