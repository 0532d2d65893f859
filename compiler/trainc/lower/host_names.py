"""Host names of the workers, by the system that names the pods."""

from __future__ import annotations

from trainc.ir.hosts import Hosts
from trainc.ir.job import Replicas
from trainc.spec.job import TrainingJob
from trainc.target import Target


def lower_hosts(job: TrainingJob, replicas: Replicas, target: Target) -> Hosts:
    """Return `<job>-<i>` in the Service of all pods, or the operator's pod names, each with a Service of its own."""
    name, system = job.metadata.name, target.system
    if system.has_full_names:
        namespace = target.namespace or job.metadata.namespace
        if not target.cluster_domain or not namespace:
            return Hosts(first=f"{name}-0", stem=name, domain=f".{name}")
        domain = f".{name}.{namespace}.svc.{target.cluster_domain}"
        return Hosts(first=f"{name}-0", stem=name, domain=domain, is_full=True)
    stem = f"{name}{system.pod_infix}"
    if has_leader_role(job, replicas, target):
        return Hosts(first=f"{name}-{system.leader_role}-0", stem=stem, offset=1)
    return Hosts(first=f"{stem}-0", stem=stem)


def has_leader_role(job: TrainingJob, replicas: Replicas, target: Target) -> bool:
    """Return whether worker 0 has a role of its own, the Master, because its success ends the job.

    Not for an elastic job, since the operator's Master can't change, and not for an external master: the operator sets
    the Master's address.
    """
    if not target.system.leader_role or job.lifecycle.success_policy != "Leader":
        return False
    return job.elastic is None and replicas.maximum > 1 and not job.launch.has_external_master
