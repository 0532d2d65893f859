"""Labels, annotations and names of a job's objects, with those that Kueue reads."""

from __future__ import annotations

import re

from trainc.ir.job import Job
from trainc.typenames import Any
from trainc.well_known import ADDED, DEBUG, JOB_LABEL, QUEUE_LABEL, QUEUE_PRIORITY_LABEL, ROLE_LABEL

MANAGED_BY, COMPILER = "app.kubernetes.io/managed-by", "trainc"
COMPONENT = "app.kubernetes.io/component"
# https://scheduler-plugins.sigs.k8s.io/docs/plugins/coscheduling/ and
# https://github.com/t9k/user-manuals/blob/fbf6b3c/src/tasks/use-podgroup.md
GANG_LABELS = {"coscheduling": "scheduling.x-k8s.io/pod-group", "t9k": "scheduler.tensorstack.dev/group-name"}
ARGO = "argocd.argoproj.io/"
_WAVE = f"{ARGO}sync-wave"
Metadata = tuple[dict[str, str], dict[str, str]]  # labels and annotations


def labels(job: Job) -> dict[str, str]:
    """Return the labels of every object of a job; the user's override Kubernetes' common ones.

    https://kubernetes.io/docs/concepts/overview/working-with-objects/common-labels/
    """
    common = {"app.kubernetes.io/name": job.name, MANAGED_BY: COMPILER}
    return {**common, JOB_LABEL: job.name, **job.labels}


def pod_labels(job: Job) -> dict[str, str]:
    """Return the labels of every pod of a job."""
    component = {} if COMPONENT in job.labels else {COMPONENT: job.role}
    pod_labels = {**labels(job), **component, **selector(job)}
    if job.gang and job.gang.scheduler in GANG_LABELS:
        pod_labels[GANG_LABELS[job.gang.scheduler]] = job.name
    return pod_labels


def pod_annotations(job: Job) -> dict[str, str]:
    """Return the annotations of every pod of a job."""
    if job.gang and job.gang.scheduler == "volcano":
        # https://volcano.sh/en/docs/podgroup/
        return {**job.annotations, **job.pod.annotations, "scheduling.k8s.io/group-name": job.name}
    return {**job.annotations, **job.pod.annotations} if job.pod.annotations else job.annotations


def added_words(job: Job) -> dict[str, str]:
    """Return the annotations of the object that runs the workers, about the command line of their pods."""
    notes = {ADDED: job.added_words, DEBUG: job.debug_command}
    return {name: value for name, value in notes.items() if value}


def selector(job: Job) -> dict[str, str]:
    """Return the labels that select the pods of this job only, in its namespace."""
    return {JOB_LABEL: job.name, ROLE_LABEL: job.role}


def metadata(job: Job, name: str, more: Metadata = ({}, {})) -> dict[str, Any]:
    """Return the variables of shared/metadata.yaml.j2, with more labels and annotations."""
    own_labels, annotations = more
    return {
        "name": name,
        "namespace": job.namespace,
        "labels": {**labels(job), **own_labels},
        "annotations": {**job.annotations, **annotations},
    }


def earlier_wave(job: Job) -> dict[str, str]:
    """Return the annotation of an object that Argo CD must apply first; none if the job has no annotation of Argo CD.

    Within a wave, Argo CD first checks all objects on the API server, and applies custom resources last:
    https://github.com/argoproj/argo-cd/blob/v3.1.0/gitops-engine/pkg/sync/sync_tasks.go
    """
    if not any(name.startswith(ARGO) for name in job.annotations):
        return {}
    wave = job.annotations.get(_WAVE, "")
    return {_WAVE: str((int(wave) if re.fullmatch("-?[0-9]{1,6}", wave) else 0) - 1)}


def queue_labels(job: Job) -> dict[str, str]:
    """Return the labels of an object that Kueue queues. Kueue itself copies those of a set to its pods.

    https://kueue.sigs.k8s.io/docs/concepts/workload_priority_class/
    """
    if job.queue is None:
        return {}
    priority = {} if job.queue.priority_class is None else {QUEUE_PRIORITY_LABEL: job.queue.priority_class}
    return {QUEUE_LABEL: job.queue.name, **priority}


def pod_group(job: Job, count: int) -> Metadata:
    """Return the metadata of a queued Pod. The initial Pods, `count`, are a group, which Kueue admits as a whole.

    https://kueue.sigs.k8s.io/docs/tasks/run/plain_pods/#running-a-group-of-pods-to-be-admitted-together
    """
    if job.queue is None or count == 1:
        return queue_labels(job), {}
    group = {**queue_labels(job), "kueue.x-k8s.io/pod-group-name": job.name}
    return group, {"kueue.x-k8s.io/pod-group-total-count": str(count)}
