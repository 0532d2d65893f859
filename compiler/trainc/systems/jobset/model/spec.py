"""Values of a JobSet with their defaults."""

from __future__ import annotations

from trainc.plan.fields import Object, at, count, mapping, number, text
from trainc.systems.jobset import facts


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
