"""Size of the job and of each worker, and its autoscaling."""

from __future__ import annotations

from trainc.ir.job import Replicas, Scaling
from trainc.span import text_of
from trainc.spec.job import TrainingJob
from trainc.spec.worker import GPU_CORES, GPU_MEMORY, Rdma, Resources
from trainc.systems.shared.autoscaler import DEFAULT_METRIC
from trainc.target import Target
from trainc.tpu import TPU


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
