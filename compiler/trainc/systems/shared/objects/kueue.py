"""The labels and annotations by which Kueue finds what it queues: on a Job, a StatefulSet, or every Pod of a group."""

from __future__ import annotations

from typing import Any

from trainc.ir.job import Job, Queue
from trainc.well_known import QUEUE_LABEL, QUEUE_PRIORITY_LABEL

Marks = tuple[dict[str, str], dict[str, str]]  # labels and annotations


def marked(context: dict[str, Any], labels: dict[str, str], annotations: dict[str, str]) -> dict[str, Any]:
    """A template's variables with more labels and annotations."""
    both = {"labels": labels, "annotations": annotations}
    return {**context, **{name: {**context[name], **more} for name, more in both.items()}}


def named(queue: Queue) -> dict[str, str]:
    """The labels of every object that is queued. Of a StatefulSet Kueue itself passes them on to its pods.

    https://kueue.sigs.k8s.io/docs/concepts/workload_priority_class/
    """
    priority = {} if queue.priority_class is None else {QUEUE_PRIORITY_LABEL: queue.priority_class}
    return {QUEUE_LABEL: queue.name, **priority}


def job_marks(job: Job, queue: Queue) -> Marks:
    """Of a Job. Kueue may start an elastic one with fewer workers; its completions must follow, or the Job would
    go on with the other indexes after the training has ended.

    https://kueue.sigs.k8s.io/docs/tasks/run/jobs/#partial-admission
    """
    if job.paused:
        return {}, {}  # Kueue starts every Job of a queue when there is quota, a suspended one too
    annotations = {}
    if job.replicas.elastic:
        annotations["kueue.x-k8s.io/job-min-parallelism"] = str(job.replicas.minimum)
        annotations["kueue.x-k8s.io/job-completions-equal-parallelism"] = "true"
    return named(queue), annotations


def pod_marks(job: Job, queue: Queue, count: int | None = None) -> Marks:
    """Of a Pod: those that are made first are a group, of which all start or none.

    https://kueue.sigs.k8s.io/docs/tasks/run/plain_pods/#running-a-group-of-pods-to-be-admitted-together
    """
    count = job.replicas.maximum if count is None else count
    if count == 1:
        return named(queue), {}
    group = {**named(queue), "kueue.x-k8s.io/pod-group-name": job.name}
    return group, {"kueue.x-k8s.io/pod-group-total-count": str(count)}


def set_marks(queue: Queue) -> Marks:
    """Of a StatefulSet: https://kueue.sigs.k8s.io/docs/tasks/run/statefulset/"""
    return named(queue), {}
