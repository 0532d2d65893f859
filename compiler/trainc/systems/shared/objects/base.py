"""What a back end is, and the objects and the pod that all of them share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

from trainc.emit.container import rename_container_refs
from trainc.emit.render import Planned
from trainc.ir.env import EnvVar, FactArg, PodFact
from trainc.ir.job import Gang, Job
from trainc.ir.pod import Port
from trainc.systems.shared.objects.containers import init_containers, mounted, resources
from trainc.systems.shared.objects.gang import group
from trainc.systems.shared.objects.labels import labels, metadata, pod_annotations, pod_labels, selector
from trainc.systems.shared.objects.placement import placement
from trainc.systems.traits import Traits
from trainc.target import Target
from trainc.well_known import JOB_LABEL, MAIN, ROLE_LABEL

# What a PodFact is on a back end: the text itself, or Kubernetes' valueFrom.
Fact = str | dict[str, Any]

# Facts that the downward API knows of every pod, whatever made it.
_FIELDS = {PodFact.POD_IP: "status.podIP", PodFact.HOST_IP: "status.hostIP"}


class Backend(ABC):
    """Turns a job into objects. Add one: docs/adding-a-system.md."""

    traits: ClassVar[Traits]

    @property
    def container(self) -> str:
        """Name of the training container."""
        return self.traits.container or MAIN

    @abstractmethod
    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        """The objects, in the order in which they are written: `shared`, the workers, what scales them."""

    @abstractmethod
    def leader(self) -> dict[str, str]:
        """The label by which worker 0 is selected."""

    def makes_gangs(self, gang: Gang) -> bool:
        """Whether this back end's object says itself that its pods are a gang, and its controller does the rest."""
        return False

    @abstractmethod
    def fact(self, fact: PodFact, job: Job, index: int | None) -> Fact:
        """How a pod learns its index and its run; index is known where each pod is an object."""

    def shared(self, job: Job) -> Iterator[Planned]:
        """What comes before the workers: storage, files, names, and what makes a gang of them."""
        for claim in job.claims:
            context = {**metadata(job, claim.name), "claim": claim}
            yield Planned(kind="PersistentVolumeClaim", template="shared/claim.yaml.j2", context=context)
        if job.files is not None:
            context = {**metadata(job, job.files.name), "texts": job.files.texts}
            yield Planned(kind="ConfigMap", template="shared/config_map.yaml.j2", context=context)
        yield from self.services(job)
        yield from self.server(job)
        if job.gang and not self.makes_gangs(job.gang):
            yield group(job, job.gang, metadata(job, job.name))

    def services(self, job: Job) -> Iterator[Planned]:
        """The headless Service that gives every pod its name, and the one that gives worker 0 its short name."""
        if job.headless_service is None:
            return
        names = [(job.headless_service.stem, selector(job))]
        if job.headless_service.leader_alias:
            names.append((f"{job.headless_service.stem}-0", {**selector(job), **self.leader()}))
        for name, selects in names:
            context = {**metadata(job, name), "selector": selects, "ports": job.headless_service.ports}
            yield Planned(kind="Service", template="shared/service.yaml.j2", context=context)

    def server(self, job: Job) -> Iterator[Planned]:
        """The etcd that keeps the rendezvous, where the job wants one of its own."""
        if job.etcd is None:
            return
        marks = {JOB_LABEL: job.name, ROLE_LABEL: "etcd"}
        context = {**metadata(job, job.etcd.name), "selector": marks, "etcd": job.etcd}
        ports = (Port(name="client", number=job.etcd.port),)
        yield Planned(kind="Service", template="shared/service.yaml.j2", context={**context, "ports": ports})
        context = {**context, "labels": {**labels(job), **marks}, "replicas": 0 if job.paused else 1}
        yield Planned(kind="Deployment", template="shared/etcd.yaml.j2", context=context)

    def pod(self, job: Job, index: int | None = None, **fields: Any) -> dict[str, Any]:
        """The variables of shared/pod_spec.yaml.j2; fields are what the back end itself decides."""
        plan = job.pod
        decided: dict[str, Any] = {
            "hostname": None,
            "subdomain": job.headless_service.stem if job.headless_service else None,
            "restart_policy": None,
            "active_deadline_seconds": None,
            "labels": pod_labels(job),
            "annotations": pod_annotations(job),
        }
        env = [self._variable(variable, job, index) for variable in plan.env]
        volumes = [{"name": volume.name, volume.kind: volume.source} for volume in plan.volumes]
        if self.container != MAIN:
            env = rename_container_refs(env, self.container)
            volumes = rename_container_refs(volumes, self.container)
        return {
            "plan": plan,
            "container": self.container,
            "command": list(plan.program.command),
            "args": [self._arg(arg, job, index) if isinstance(arg, FactArg) else arg for arg in plan.program.args],
            "env": env,
            "resources": resources(plan.requests, plan.limits),
            "mounts": [mounted(mount) for mount in plan.mounts],
            "init_containers": init_containers(plan),
            "volumes": volumes,
            **placement(job, grouped=job.gang is not None and not self.makes_gangs(job.gang)),
            **decided,
            **fields,
        }

    def _variable(self, variable: EnvVar, job: Job, index: int | None) -> dict[str, Any]:
        value = variable.value
        if isinstance(value, PodFact):
            value = field(_FIELDS[value]) if value in _FIELDS else self.fact(value, job, index)
        return {"name": variable.name, "value" if isinstance(value, str) else "valueFrom": value}

    def _arg(self, arg: FactArg, job: Job, index: int | None) -> str:
        value = self.fact(arg.fact, job, index)
        return arg.before + (value if isinstance(value, str) else f"$({arg.variable})")


def field(path: str) -> Fact:
    """A fact by the downward API."""
    return {"fieldRef": {"fieldPath": path}}
