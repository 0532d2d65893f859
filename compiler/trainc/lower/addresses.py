"""Host and port of worker 0, as every worker knows them."""

from __future__ import annotations

from trainc.ir.job import HeadlessService, Replicas
from trainc.launchers import registry
from trainc.launchers.lowering import Addresses
from trainc.lower.host_names import lower_hosts
from trainc.spec.job import TrainingJob
from trainc.target import Target


def lower_addresses(job: TrainingJob, replicas: Replicas, target: Target) -> Addresses:
    """Return worker 0's own hostname, which a Service that selects only worker 0 makes resolvable for the others.

    c10d's store is hosted by the pod that recognises the endpoint as its own name, before DNS may know any
    name: docs/adr/0004-rendezvous-name.md lists what the other names do. With a cluster domain the fully
    qualified name does the same, because the kubelet writes it to the pod's /etc/hosts.
    """
    hosts = lower_hosts(job, replicas, target)
    ports = registry.part(job.launch.traits.name, "lower").ports(job)
    if replicas.maximum == 1 or target.system.starts_launcher:
        return Addresses(host=hosts.first, port=ports[0].number, headless_service=None, hosts=hosts)
    host = hosts.resolvable(0) if hosts.is_full else hosts.first
    service = HeadlessService(stem=hosts.stem, ports=ports, leader_alias=not hosts.is_full)
    return Addresses(host=host, port=ports[0].number, headless_service=service, hosts=hosts)
