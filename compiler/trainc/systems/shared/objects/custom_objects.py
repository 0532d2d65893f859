"""Objects of other controllers: the group of pods of a gang scheduler, and NVIDIA's ComputeDomain."""

from __future__ import annotations

from trainc.emit.render import Planned
from trainc.ir.job import ComputeDomain, Gang, Job
from trainc.systems.shared.facts import WORKLOAD
from trainc.systems.shared.objects.labels import earlier_wave, metadata
from trainc.typenames import Any


def group(job: Job, gang: Gang) -> Planned:
    """Return the group, which has the job's name; it must exist when the pods are created."""
    api_version, kind, spec = _definition(job, gang)
    context = {
        **metadata(job, job.name, ({}, earlier_wave(job))),
        "api_version": api_version,
        "kind": kind,
        "spec": spec,
    }
    return Planned(kind=kind, template="shared/custom_object.yaml.j2", context=context)


def _definition(job: Job, gang: Gang) -> tuple[str, str, dict[str, Any]]:
    priority = job.pod.placement.priority_class_name
    priority_class = {"priorityClassName": priority} if priority is not None else {}
    if gang.scheduler == "volcano":
        # Volcano orders a queue by the priorities of the groups, not of their pods.
        queue = {"queue": gang.queue} if gang.queue else {}
        spec = {"minMember": gang.minimum, **queue, **priority_class}
        return "scheduling.volcano.sh/v1beta1", "PodGroup", spec
    if gang.scheduler == "coscheduling":
        return "scheduling.x-k8s.io/v1alpha1", "PodGroup", {"minMember": gang.minimum}
    if gang.scheduler == "t9k":
        # https://github.com/t9k/user-manuals/blob/fbf6b3c/src/references/api-reference/scheduler.md#podgroupspec
        options = {"queue": gang.queue, "priority": gang.priority}
        options = {name: value for name, value in options.items() if value is not None}
        return "scheduler.tensorstack.dev/v1beta1", "PodGroup", {"minMember": gang.minimum, **options}
    policy = {"gang": {"minCount": gang.minimum}}
    if gang.version == WORKLOAD:
        return "scheduling.k8s.io/v1alpha1", "Workload", {"podGroups": [{"name": job.role, "policy": policy}]}
    version = "v1alpha2" if gang.version == WORKLOAD + 1 else "v1beta1"
    return f"scheduling.k8s.io/{version}", "PodGroup", {"schedulingPolicy": policy}


def compute_domain(job: Job, domain: ComputeDomain) -> Planned:
    """Return the domain, whose controller creates the template of the pods' claims: they wait for it."""
    spec = {"numNodes": domain.nodes, "channel": {"resourceClaimTemplate": {"name": domain.claim_template}}}
    context = {
        **metadata(job, domain.name, ({}, earlier_wave(job))),
        "api_version": "resource.nvidia.com/v1beta1",
        "kind": "ComputeDomain",
        "spec": spec,
    }
    return Planned(kind="ComputeDomain", template="shared/custom_object.yaml.j2", context=context)
