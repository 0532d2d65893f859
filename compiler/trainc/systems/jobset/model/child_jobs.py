"""Values of a JobSet with their defaults, and its Jobs with their labels: constructJob and labelAndAnnotateObject of
https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/controllers/jobset_controller.go
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha1

from trainc.plan.expand import placeholder
from trainc.plan.fields import Object, at, count, items, listed, mapping, number, text
from trainc.plan.models import is_suspended
from trainc.plan.sample import MAX_PODS
from trainc.systems.jobset import facts
from trainc.systems.jobset.traits import TRAITS
from trainc.systems.shared.model import owned_object


def replica_count(replicated: Object) -> int:
    """Return the number of Jobs of a replicated job."""
    return max(count(replicated, "replicas"), 0)


def job_name(resource: Object, replicated: Object, index: int) -> str:
    """Return the name of a Job: GenJobName of pkg/util/placement."""
    return f"{text(resource, 'metadata', 'name')}-{text(replicated, 'name')}-{index}"


def subdomain(resource: Object) -> str:
    """Return the name of the headless Service."""
    return text(resource, "spec", "network", "subdomain") or text(resource, "metadata", "name")


def has_dns_names(resource: Object) -> bool:
    """Return whether the pods have names in a headless Service."""
    return at(resource, "spec", "network", "enableDNSHostnames") is not False


def is_ignored(resource: Object) -> bool:
    """Return whether another controller manages the JobSet."""
    return text(resource, "spec", "managedBy") not in ("", facts.MANAGER)


def completion_mode(replicated: Object) -> str:
    """Return Indexed or NonIndexed."""
    return text(replicated, "template", "spec", "completionMode") or "Indexed"


def coordinator_endpoint(resource: Object) -> str:
    """Return the name of the coordinator's pod, if any: CoordinatorEndpoint of jobset_controller.go."""
    coordinator = mapping(resource, "spec", "coordinator")
    if not coordinator:
        return ""
    job, pod = (number(coordinator, field) or 0 for field in ("jobIndex", "podIndex"))
    name = text(resource, "metadata", "name")
    return f"{name}-{text(coordinator, 'replicatedJob')}-{job}-{pod}.{subdomain(resource)}"


def child_jobs(resource: Object, attempt: int = 0) -> Iterator[Object]:
    """Yield the Jobs of an attempt in the order of their global indexes."""
    left = MAX_PODS
    for position, replicated in enumerate(items(resource, "spec", "replicatedJobs")):
        for index in range(min(replica_count(replicated), left)):
            left -= 1
            yield _child_job(resource, position, index, attempt)


def _child_job(resource: Object, position: int, index: int, attempt: int) -> Object:
    """Return a Job with the defaults of the webhook."""
    replicated = items(resource, "spec", "replicatedJobs")[position]
    template, labels = mapping(replicated, "template"), _labels(resource, position, index, attempt)
    annotations = {**labels, **_exclusive_annotations(resource, template)}
    spec, name = dict(mapping(template, "spec")), job_name(resource, replicated, index)
    pod_metadata, pod = mapping(spec, "template", "metadata"), dict(mapping(spec, "template", "spec"))
    pod["restartPolicy"] = text(pod, "restartPolicy") or "OnFailure"
    if has_dns_names(resource):
        pod["subdomain"] = subdomain(resource)
    if facts.NODE_SELECTOR in annotations and facts.EXCLUSIVE in annotations:
        domain = f"{text(resource, 'metadata', 'namespace')}_{name}"
        pod["nodeSelector"] = {**mapping(pod, "nodeSelector"), facts.NAMESPACED_JOB: domain}
        toleration = {"key": facts.NO_SCHEDULE, "operator": "Exists", "effect": "NoSchedule"}
        pod["tolerations"] = [*items(pod, "tolerations"), toleration]
    if volumes := list(_claim_volumes(resource, pod)):
        pod["volumes"] = [*items(pod, "volumes"), *volumes]
    metadata = {
        **pod_metadata,
        "labels": {**mapping(pod_metadata, "labels"), **labels},
        "annotations": {**mapping(pod_metadata, "annotations"), **annotations},
    }
    spec |= {"completionMode": completion_mode(replicated), "suspend": is_suspended(resource)}
    spec["template"] = {"metadata": metadata, "spec": pod}
    own_labels = {**mapping(template, "metadata", "labels"), **labels}
    job = owned_object(resource, TRAITS.operator, "Job", name, own_labels, "batch/v1")
    job["metadata"]["annotations"] = {**mapping(template, "metadata", "annotations"), **annotations}
    start = listed(resource, "startCommand")  # if its owner starts mpirun on one pod
    marks = {"startCommand": start, "launcher": text(resource, "launcher") == text(replicated, "name")} if start else {}
    return {**job, "spec": spec, **marks}


def _labels(resource: Object, position: int, index: int, attempt: int) -> dict[str, str]:
    """Return labels of a Job and its pods, which are annotations too."""
    replicated_jobs = items(resource, "spec", "replicatedJobs")
    replicated, name = replicated_jobs[position], text(resource, "metadata", "name")
    counts = [replica_count(each) for each in replicated_jobs]
    groups = [text(each, "groupName") or facts.GROUP for each in replicated_jobs]
    group = groups[position]
    in_group = [count if each == group else 0 for count, each in zip(counts, groups, strict=True)]
    labels = {
        facts.JOB_LABEL: name,
        facts.UID_LABEL: placeholder(f"uid of JobSet/{name}"),
        facts.REPLICATED_JOB_LABEL: text(replicated, "name"),
        facts.ATTEMPT_LABEL: str(attempt),
        facts.REPLICAS_LABEL: str(counts[position]),
        facts.ALL_REPLICAS_LABEL: str(sum(counts)),
        facts.JOB_INDEX_LABEL: str(index),
        facts.JOB_KEY_LABEL: _job_key(resource, job_name(resource, replicated, index)),
        facts.GLOBAL_INDEX_LABEL: str(sum(counts[:position]) + index),
        facts.GROUP_LABEL: group,
        facts.GROUP_REPLICAS_LABEL: str(sum(in_group)),
        facts.GROUP_INDEX_LABEL: str(sum(in_group[:position]) + index),
    }
    endpoint = coordinator_endpoint(resource)
    return {**labels, facts.COORDINATOR_LABEL: endpoint} if endpoint else labels


def _job_key(resource: Object, job: str) -> str:
    """Return the hash of a Job's name and namespace: jobHashKey."""
    namespace = text(resource, "metadata", "namespace")
    if not namespace:
        return placeholder(f"hash of Job/{job}")
    return sha1(f"{namespace}/{job}".encode(), usedforsecurity=False).hexdigest()


def _exclusive_annotations(resource: Object, template: Object) -> dict[str, str]:
    annotations: dict[str, str] = {}
    for source in (mapping(resource, "metadata", "annotations"), mapping(template, "metadata", "annotations")):
        if facts.EXCLUSIVE in source:
            names = (facts.EXCLUSIVE, facts.NODE_SELECTOR)
            annotations |= {name: str(source[name]) for name in names if name in source}
    return annotations


def claim_templates(resource: Object) -> Iterator[tuple[Object, Object]]:
    """Yield each policy of volumeClaimPolicies with each of its claims."""
    for policy in items(resource, "spec", "volumeClaimPolicies"):
        yield from ((policy, template) for template in items(policy, "templates"))


def claim_name(resource: Object, template: Object) -> str:
    """Return the name of a claim: GeneratePVCName of volume_claim_policy.go."""
    return f"{text(template, 'metadata', 'name')}-{text(resource, 'metadata', 'name')}"


def _claim_volumes(resource: Object, pod: Object) -> Iterator[Object]:
    """Yield the volumes of claims that a container mounts: addVolumes of volume_claim_policy.go."""
    containers = [*items(pod, "containers"), *items(pod, "initContainers")]
    mounted = {text(mount, "name") for container in containers for mount in items(container, "volumeMounts")}
    for _, template in claim_templates(resource):
        name = text(template, "metadata", "name")
        if name in mounted:
            yield {"name": name, "persistentVolumeClaim": {"claimName": claim_name(resource, template)}}
