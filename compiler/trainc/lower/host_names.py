"""What the workers are called: by their controllers, and by each other."""

from __future__ import annotations

from trainc.ir.job import Replicas
from trainc.launchers.torchrun.spec import Torchrun
from trainc.record import Record
from trainc.spec.job import TrainingJob
from trainc.target import Target


class Hosts(Record):
    """Worker 0 is `first`, worker i `<stem>-<i - offset>`; the others reach each by its name and `domain`, which may
    be the `whole` one that the kubelet writes to /etc/hosts."""

    first: str
    stem: str
    offset: int = 0
    domain: str = ""
    whole: bool = False

    def name(self, index: int) -> str:
        """The pod's hostname."""
        return self.first if index == 0 else f"{self.stem}-{index - self.offset}"

    def reached(self, index: int) -> str:
        """The name that every pod of the namespace can resolve."""
        return self.name(index) + self.domain


def lower_hosts(job: TrainingJob, replicas: Replicas, target: Target) -> Hosts:
    """Return `<job>-<i>` in the Service of all pods, or the operator's pod names, each with a Service of its own."""
    name, system = job.metadata.name, target.system
    if system.has_full_names:
        namespace = target.namespace or job.metadata.namespace
        if not target.cluster_domain or not namespace:
            return Hosts(first=f"{name}-0", stem=name, domain=f".{name}")
        domain = f".{name}.{namespace}.svc.{target.cluster_domain}"
        return Hosts(first=f"{name}-0", stem=name, domain=domain, whole=True)
    stem = f"{name}{system.pod_infix}"
    if has_leader_role(job, replicas, target):
        return Hosts(first=f"{name}-{system.leader_role}-0", stem=stem, offset=1)
    return Hosts(first=f"{stem}-0", stem=stem)


def has_leader_role(job: TrainingJob, replicas: Replicas, target: Target) -> bool:
    """Whether worker 0 is a role of its own, the Master, because its success is to be the job's.

    Not where the workers may change, which the operator's Master may not, nor where the ranks are to meet elsewhere:
    with a Master the operator says where.
    """
    if not target.system.leader_role or job.lifecycle.success_policy != "Leader":
        return False
    given = job.launch.rendezvous if isinstance(job.launch, Torchrun) else None
    elsewhere = given is not None and given.backend == "static" and given.endpoint is not None
    return job.elastic is None and replicas.maximum > 1 and not elsewhere
