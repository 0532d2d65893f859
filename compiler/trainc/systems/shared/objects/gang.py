"""Gangs: the object by which a scheduler knows which pods start together or not at all."""

from __future__ import annotations

from typing import Any

from trainc.emit.render import Planned
from trainc.ir.job import Gang, Job

WORKLOAD = 35  # Kubernetes 1.35 has a Workload with the groups in it; from 1.36 on each PodGroup is an object


def group(job: Job, gang: Gang, metadata: dict[str, Any]) -> Planned:
    """The object, named like the job."""
    api_version, kind, spec = _form(job, gang)
    context = {**metadata, "api_version": api_version, "kind": kind, "spec": spec}
    return Planned(kind=kind, template="shared/gang.yaml.j2", context=context)


def membership(job: Job, gang: Gang) -> dict[str, Any]:
    """The fields by which a pod names its group to Kubernetes' own scheduler.

    https://kubernetes.io/docs/concepts/workloads/pods/scheduling-group/
    """
    if gang.version == WORKLOAD:
        return {"workloadRef": {"name": job.name, "podGroup": job.role}}
    return {"schedulingGroup": {"podGroupName": job.name}}


def _form(job: Job, gang: Gang) -> tuple[str, str, dict[str, Any]]:
    """API version, kind and spec."""
    priority = job.pod.placement.priority_class_name
    priority_class = {"priorityClassName": priority} if priority is not None else {}
    if gang.scheduler == "volcano":
        # A queue is served by the priorities of its groups, not of their pods.
        queue = {"queue": gang.queue} if gang.queue else {}
        spec = {"minMember": gang.minimum, **queue, **priority_class}
        return "scheduling.volcano.sh/v1beta1", "PodGroup", spec
    if gang.scheduler == "coscheduling":
        return "scheduling.x-k8s.io/v1alpha1", "PodGroup", {"minMember": gang.minimum}
    if gang.scheduler == "t9k":
        # https://github.com/t9k/user-manuals/blob/fbf6b3c/src/references/api-reference/scheduler.md#podgroupspec
        wishes = {"queue": gang.queue, "priority": gang.priority}
        given = {name: wish for name, wish in wishes.items() if wish is not None}
        return "scheduler.tensorstack.dev/v1beta1", "PodGroup", {"minMember": gang.minimum, **given}
    policy = {"gang": {"minCount": gang.minimum}}
    if gang.version == WORKLOAD:
        return "scheduling.k8s.io/v1alpha1", "Workload", {"podGroups": [{"name": job.role, "policy": policy}]}
    version = "v1alpha2" if gang.version == WORKLOAD + 1 else "v1beta1"
    return f"scheduling.k8s.io/{version}", "PodGroup", {"schedulingPolicy": policy}
