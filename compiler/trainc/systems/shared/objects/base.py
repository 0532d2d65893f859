"""Base class of back ends, with the objects and the pod that all of them share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

from trainc.emit.container import rename_container_refs
from trainc.emit.render import Planned
from trainc.ir.env import EnvVar, FactArg, PodFact
from trainc.ir.job import Gang, Job
from trainc.ir.pod import Port
from trainc.systems.shared.objects.containers import init_containers, resources, volume_mount
from trainc.systems.shared.objects.gang import group
from trainc.systems.shared.objects.labels import labels, metadata, pod_annotations, pod_labels, selector
from trainc.systems.shared.objects.placement import placement
from trainc.systems.traits import Traits
from trainc.target import Target
from trainc.well_known import JOB_LABEL, MAIN, ROLE_LABEL

# Value of a PodFact: the text itself, or Kubernetes' valueFrom.
Fact = str | dict[str, Any]

# Facts that the downward API knows for every pod, whatever creates it.
_FIELDS = {PodFact.POD_IP: "status.podIP", PodFact.HOST_IP: "status.hostIP"}


class Backend(ABC):
    """Emits the objects of a system. docs/adding-a-system.md describes how to add one."""

    traits: ClassVar[Traits]

    @property
    def container(self) -> str:
        """Name of the training container."""
        return self.traits.container or MAIN

    @abstractmethod
    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        """Yield the objects in output order: those of `shared`, the workers, the autoscaler."""

    @abstractmethod
    def leader(self) -> dict[str, str]:
        """Return the label that selects worker 0."""

    def creates_gang(self, gang: Gang) -> bool:
        """Return whether the object itself requests the gang, and its controller creates the group."""
        return False

    @abstractmethod
    def fact(self, fact: PodFact, job: Job, index: int | None) -> Fact:
        """Return how a pod learns a fact. `index` is the worker's if each pod is an object of its own."""

    def shared(self, job: Job) -> Iterator[Planned]:
        """Yield the objects before the workers: claims, files, Services, etcd and the group of the gang."""
        for claim in job.claims:
            context = {**metadata(job, claim.name), "claim": claim}
            yield Planned(kind="PersistentVolumeClaim", template="shared/claim.yaml.j2", context=context)
        if job.files is not None:
            context = {**metadata(job, job.files.name), "texts": job.files.texts}
            yield Planned(kind="ConfigMap", template="shared/config_map.yaml.j2", context=context)
        yield from self.services(job)
        yield from self.server(job)
        if job.gang and not self.creates_gang(job.gang):
            yield group(job, job.gang, metadata(job, job.name))

    def services(self, job: Job) -> Iterator[Planned]:
        """Yield the headless Service for the names of all pods, and the one for the short name of worker 0."""
        if job.headless_service is None:
            return
        stem = job.headless_service.stem
        selectors = {stem: selector(job)}
        if job.headless_service.leader_alias:
            selectors[f"{stem}-0"] = {**selector(job), **self.leader()}
        for name, labels_of_pods in selectors.items():
            context = {**metadata(job, name), "selector": labels_of_pods, "ports": job.headless_service.ports}
            yield Planned(kind="Service", template="shared/service.yaml.j2", context=context)

    def server(self, job: Job) -> Iterator[Planned]:
        """Yield the managed etcd of the rendezvous, if the job has one."""
        if job.etcd is None:
            return
        own_labels = {JOB_LABEL: job.name, ROLE_LABEL: "etcd"}
        context = {**metadata(job, job.etcd.name), "selector": own_labels, "etcd": job.etcd}
        ports = (Port(name="client", number=job.etcd.port),)
        yield Planned(kind="Service", template="shared/service.yaml.j2", context={**context, "ports": ports})
        context = {**context, "labels": {**labels(job), **own_labels}, "replicas": 0 if job.paused else 1}
        yield Planned(kind="Deployment", template="shared/etcd.yaml.j2", context=context)

    def pod(self, job: Job, index: int | None = None, **fields: Any) -> dict[str, Any]:
        """Return the variables of shared/pod_spec.yaml.j2; `fields` override the defaults of the back end."""
        plan = job.pod
        defaults: dict[str, Any] = {
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
            "mounts": [volume_mount(mount) for mount in plan.mounts],
            "init_containers": init_containers(plan),
            "volumes": volumes,
            **placement(job, grouped=job.gang is not None and not self.creates_gang(job.gang)),
            **defaults,
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
    """Return a fact from the downward API."""
    return {"fieldRef": {"fieldPath": path}}
