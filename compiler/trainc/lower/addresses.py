"""Host names of the workers, the address of worker 0, as every worker knows it, and the interface to reach it."""

from __future__ import annotations

from trainc.ir.env import INTERFACE_VARIABLES, EnvVar
from trainc.ir.job import HeadlessService, Replicas
from trainc.ir.launch import Hosts
from trainc.launchers import registry
from trainc.launchers.lowering import Addresses
from trainc.spec.job import TrainingJob
from trainc.target import Target


def lower_addresses(job: TrainingJob, replicas: Replicas, target: Target) -> Addresses:
    """Return worker 0's own hostname, which a Service that selects only worker 0 makes resolvable for the others.

    Where the controller creates the Service of all workers, the name in it suffices for launchers other than c10d's.

    c10d's store is hosted by the pod that recognises the endpoint as its own name, before DNS may know any
    name: docs/adr/0004-rendezvous-name.md lists what the other names do. With a cluster domain the fully
    qualified name does the same, because the kubelet writes it to the pod's /etc/hosts.
    """
    hosts = lower_hosts(job, replicas, target)
    part = registry.part(job.launch.traits.name, "lower")
    ports = part.ports(job)
    if hasattr(part, "worker_0_ports") and not target.system.has_launcher_pod:
        ports = (*ports, *part.worker_0_ports(job))
    if replicas.maximum == 1 or target.system.starts_launcher:
        return Addresses(host=hosts.first, port=ports[0].number, headless_service=None, hosts=hosts)
    has_alias = not hosts.is_full and (not target.system.creates_service or _asks("recognizes_host", job))
    if not target.system.has_launcher_pod:
        has_alias = has_alias or _asks("connects_to_host_name", job)
    service = HeadlessService(name=job.metadata.name, first=hosts.first, ports=ports, leader_alias=has_alias)
    host = hosts.first if has_alias else hosts.resolvable(0)
    return Addresses(host=host, port=ports[0].number, headless_service=service, hosts=hosts)


def _asks(question: str, job: TrainingJob) -> bool:
    """Return the launcher's answer to a question about the job, False if it has none."""
    part = registry.part(job.launch.traits.name, "lower")
    return hasattr(part, question) and bool(getattr(part, question)(job))


def lower_hosts(job: TrainingJob, replicas: Replicas, target: Target) -> Hosts:
    """Return `<job>-<i>` in the Service of all pods, or the operator's pod names, each with a Service of its own."""
    name, system = job.metadata.name, target.system
    stem = f"{name}{system.pod_infix}"
    if system.has_full_names:
        namespace = target.namespace or job.metadata.namespace
        if not target.cluster_domain or not namespace:
            return Hosts(first=f"{stem}-0", stem=stem, domain=f".{name}")
        domain = f".{name}.{namespace}.svc.{target.cluster_domain}"
        return Hosts(first=f"{stem}-0", stem=stem, domain=domain, is_full=True)
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


def interface_env(job: TrainingJob) -> tuple[EnvVar, ...]:
    """Return the variables that select the network interface."""
    interface = job.network.interface if job.network else None
    if interface is None:
        return ()
    return tuple(EnvVar(name=name, value=interface, origin=interface.span) for name in INTERFACE_VARIABLES)
