"""Where the workers meet: the name and port of worker 0."""

from __future__ import annotations

from trainc.ir.job import HeadlessService, Replicas
from trainc.ir.pod import Port
from trainc.launchers.ports import C10D_PORT, MASTER_PORT
from trainc.launchers.torchrun.spec import Torchrun
from trainc.lower.host_names import Hosts, lower_hosts
from trainc.record import Record
from trainc.spec.job import TrainingJob
from trainc.spec.launch import Deepspeed
from trainc.target import Target


class Meeting(Record):
    """Host and port of worker 0 as every worker knows it; headless_service is None for a job of one pod, and where
    an operator creates the Services."""

    host: str
    port: int
    headless_service: HeadlessService | None
    hosts: Hosts


def lower_meeting(job: TrainingJob, replicas: Replicas, target: Target) -> Meeting:
    """Worker 0's own hostname, made resolvable for the others by a name that selects only worker 0.

    c10d's store is hosted by the pod that recognises the endpoint as its own name, before DNS may know any
    name: docs/adr/0004-rendezvous-name.md lists what the other names do. With a cluster domain the fully
    qualified name does the same, because the kubelet writes it to the pod's /etc/hosts.
    """
    hosts = lower_hosts(job, replicas, target)
    port, port_name = _port(job)
    if replicas.maximum == 1 or target.system.starts_launcher:
        return Meeting(host=hosts.first, port=port, headless_service=None, hosts=hosts)
    host = hosts.reached(0) if hosts.whole else hosts.first
    ports = [Port(name=port_name, number=port)]
    if isinstance(job.launch, Deepspeed) and job.launch.transport == "ssh":
        ports.append(Port(name="ssh", number=job.launch.ssh_port))
    service = HeadlessService(stem=hosts.stem, ports=tuple(ports), leader_alias=not hosts.whole)
    return Meeting(host=host, port=port, headless_service=service, hosts=hosts)


def _port(job: TrainingJob) -> tuple[int, str]:
    launch = job.launch
    if not isinstance(launch, Torchrun):
        return launch.port or MASTER_PORT, "master"
    backend = rendezvous_backend(job, launch)
    if backend == "static":
        return launch.rendezvous.port or MASTER_PORT, "master"
    if backend in ("etcd", "etcd-v2"):
        return MASTER_PORT, "master"
    return launch.rendezvous.port or C10D_PORT, "rdzv"


def rendezvous_backend(job: TrainingJob, options: Torchrun) -> str:
    """c10d, unless the user names another or the pods have their nodes' hostnames.

    Then no pod recognises c10d's endpoint by its name, and static tells worker 0 by its index; but static knows no
    second round.
    """
    fixed = job.elastic is None and not options.max_restarts
    return options.rendezvous.backend or ("static" if fixed and on_host_network(job) else "c10d")


def on_host_network(job: TrainingJob) -> bool:
    """Whether the pods have their nodes' addresses and hostnames."""
    return job.network is not None and job.network.host_network
