"""Labels and annotations that Kueue reads: on a Job, a StatefulSet, or every Pod of a group."""

from __future__ import annotations

from typing import Any

from trainc.ir.job import Job, Queue
from trainc.well_known import QUEUE_LABEL, QUEUE_PRIORITY_LABEL

Metadata = tuple[dict[str, str], dict[str, str]]  # labels and annotations


def with_metadata(context: dict[str, Any], labels: dict[str, str], annotations: dict[str, str]) -> dict[str, Any]:
    """Add labels and annotations to the variables of a template."""
    more = {"labels": labels, "annotations": annotations}
    return {**context, **{name: {**context[name], **values} for name, values in more.items()}}


def queue_labels(queue: Queue) -> dict[str, str]:
    """Return the labels of a queued object. Kueue itself copies those of a StatefulSet to its pods.

    https://kueue.sigs.k8s.io/docs/concepts/workload_priority_class/
    """
    priority = {} if queue.priority_class is None else {QUEUE_PRIORITY_LABEL: queue.priority_class}
    return {QUEUE_LABEL: queue.name, **priority}


def job_metadata(job: Job, queue: Queue) -> Metadata:
    """Return the metadata of a Job. Kueue may admit an elastic one with fewer workers; its completions must follow, or
    the Job would run the remaining indexes after the training has ended.

    https://kueue.sigs.k8s.io/docs/tasks/run/jobs/#partial-admission
    """
    if job.paused:
        return {}, {}  # Kueue resumes every queued Job, a suspended one too, as soon as there is quota
    annotations = {}
    if job.replicas.elastic:
        annotations["kueue.x-k8s.io/job-min-parallelism"] = str(job.replicas.minimum)
        annotations["kueue.x-k8s.io/job-completions-equal-parallelism"] = "true"
    return queue_labels(queue), annotations


def pod_metadata(job: Job, queue: Queue, count: int | None = None) -> Metadata:
    """Return the metadata of a Pod. The initial Pods are a group, which Kueue admits as a whole.

    https://kueue.sigs.k8s.io/docs/tasks/run/plain_pods/#running-a-group-of-pods-to-be-admitted-together
    """
    count = job.replicas.maximum if count is None else count
    if count == 1:
        return queue_labels(queue), {}
    group = {**queue_labels(queue), "kueue.x-k8s.io/pod-group-name": job.name}
    return group, {"kueue.x-k8s.io/pod-group-total-count": str(count)}
