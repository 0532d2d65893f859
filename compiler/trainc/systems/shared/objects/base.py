"""Base class of back ends, with the objects and the pod that all of them share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

from trainc.emit.render import Planned
from trainc.ir.env import Arg, EnvVar, PodFact
from trainc.ir.job import Gang, Job
from trainc.ir.pod import Port
from trainc.span import Span, Text, Traced
from trainc.systems.shared.objects.labels import (
    Metadata,
    added_words,
    labels,
    metadata,
    pod_annotations,
    pod_labels,
    selector,
)
from trainc.systems.shared.objects.placement import placement
from trainc.systems.shared.objects.pod import (
    init_containers,
    main_container,
    present,
    resource_claims,
    volumes,
    with_container,
)
from trainc.systems.traits import Traits
from trainc.target import Target
from trainc.typenames import Any, ClassVar
from trainc.well_known import JOB_LABEL, MAIN, ROLE_LABEL

# Value of a PodFact: the text itself, or Kubernetes' valueFrom.
Fact = str | dict[str, Any]

# Facts that the downward API provides for every pod.
_FIELDS = {PodFact.POD_IP: "status.podIP", PodFact.HOST_IP: "status.hostIP"}


class Backend(ABC):
    """Emits the objects of a system. docs/adding-a-system.md describes how to add one."""

    traits: Traits
    index_label: ClassVar[str] = ""  # the controller's label with the number of a worker
    run_label: ClassVar[str] = ""  # that with an id of the run
    gang_schedulers: ClassVar[tuple[str, ...]] = ()  # schedulers whose groups the controller creates
    _last: tuple[Job, int, dict[str, Any]] | None = None  # last pod spec

    @property
    def container(self) -> str:
        """Name of the training container."""
        return self.traits.container or MAIN

    @abstractmethod
    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        """Yield the objects in output order: those of `shared`, the workers, the autoscaler."""

    def own_gang(self, job: Job) -> Gang | None:
        """Return the gang if the object itself requests it, and its controller creates the group."""
        return job.gang if job.gang and job.gang.scheduler in self.gang_schedulers else None

    def fact(self, fact: PodFact, job: Job, index: int) -> Fact:
        """Return how a pod learns a fact: from a label, else its run is the job's name, as pods don't learn the UID.

        `index` is the worker's if each pod is an object of its own.
        """
        label = {PodFact.INDEX: self.index_label, PodFact.RUN: self.run_label}.get(fact)
        return label_field(label) if label else job.name

    def workers(
        self, job: Job, *pods_at: tuple[str | int, ...], more: Metadata = ({}, {}), **variables: Any
    ) -> Planned:
        """Return the object whose controller creates the workers; `more` are its own labels and annotations."""
        kind, (own_labels, annotations) = self.traits.kind, more
        return Planned(
            kind=kind,
            template=f"{self.traits.name}/{kind.lower()}.yaml.j2",
            context={**metadata(job, job.name, (own_labels, {**annotations, **added_words(job)})), **variables},
            pods_at=pods_at,
            patch=job.pod.patch,
            container=self.container,
        )

    def shared(self, job: Job) -> Iterator[Planned]:
        """Yield the objects before the workers: claims, files, NVLink domain, Services, etcd and the gang's group."""
        for claim in job.claims:
            yield planned(job, "PersistentVolumeClaim", claim.name, "shared/claim", claim=claim)
        if job.files is not None:
            yield planned(job, "ConfigMap", job.files.name, "shared/config_map", texts=job.files.texts, binaries={})
        for files in job.file_maps:
            from trainc.systems.shared.objects.files import file_map

            yield file_map(job, files)
        if job.compute_domain is not None:
            from trainc.systems.shared.objects.custom_objects import compute_domain

            yield compute_domain(job, job.compute_domain)
        yield from self._services(job)
        yield from self._etcd(job)
        if job.gang and not self.own_gang(job):
            from trainc.systems.shared.objects.custom_objects import group

            yield group(job, job.gang)

    def _services(self, job: Job) -> Iterator[Planned]:
        """Yield the headless Service for the names of all pods, and the one for the short name of worker 0.

        A controller may create the first one. An operator whose pods have no names in it creates a Service for each
        pod, with the pod's name.
        """
        service = job.headless_service
        if service is None or not self.traits.has_full_names:
            return
        selectors = {} if self.traits.creates_service else {service.name: selector(job)}
        if service.leader_alias:
            selectors[service.first] = {**selector(job), self.index_label: "0"}
        for name, pods in selectors.items():
            yield planned(job, "Service", name, "shared/service", selector=pods, ports=service.ports)

    def _etcd(self, job: Job) -> Iterator[Planned]:
        if job.etcd is None:
            return
        etcd_labels, name = {JOB_LABEL: job.name, ROLE_LABEL: "etcd"}, job.etcd.name
        ports = (Port(name="client", number=job.etcd.port),)
        yield planned(job, "Service", name, "shared/service", selector=etcd_labels, ports=ports)
        pod = {"selector": etcd_labels, "labels": {**labels(job), **etcd_labels}, "security": job.pod.security}
        yield planned(job, "Deployment", name, "shared/etcd", etcd=job.etcd, replicas=0 if job.paused else 1, **pod)

    def pod(self, job: Job, index: int = 0, more: Metadata = ({}, {}), **fields: Any) -> dict[str, Any]:
        """Return a worker's pod for shared/pod_template.yaml.j2: `labels`, `annotations` and `spec`.

        It is no member of a gang whose group the controller creates. `index` is the worker's if each pod is an object
        of its own, `more` are further labels and annotations, `fields` override those of the spec.
        """
        if self.own_gang(job):
            job = job.replace(gang=None)
        own_labels, annotations = more
        spec = with_container({**self.pod_spec(job, index), **fields}, self.container)
        return {
            "labels": {**pod_labels(job), **own_labels},
            "annotations": {**pod_annotations(job), **annotations},
            "spec": present(spec),
        }

    def pod_spec(self, job: Job, index: int = 0) -> dict[str, Any]:
        """Return the spec of a worker's pod in the order in which it is written; missing fields are None or empty.

        The training container has the name of job files. The pod that the checks have read is the one that is emitted.
        """
        last = self._last
        if last is None or last[0] is not job or last[1] != index:
            last = self._last = job, index, self._pod_spec(job, index)
        return last[2]

    def _pod_spec(self, job: Job, index: int) -> dict[str, Any]:
        plan = job.pod
        env = [self._variable(variable, job, index) for variable in plan.env]
        args = [self._argument(arg, job, index) for arg in plan.program.args]
        return {
            "hostname": None,
            "subdomain": self._subdomain(job),
            **(_on_node_network(plan.host_network) if plan.host_network else {}),
            "serviceAccountName": None,
            # A program needs no access to the API, unless the job names an account for it. A system that starts the
            # launcher may use the token itself.
            "automountServiceAccountToken": None if job.account or self.traits.starts_launcher else False,
            "securityContext": plan.security.pod,
            "restartPolicy": None,
            "activeDeadlineSeconds": None,
            "terminationGracePeriodSeconds": plan.termination_grace_period_seconds,
            **placement(job),
            "imagePullSecrets": plan.image_pull_secrets,
            "initContainers": init_containers(plan),
            "containers": [main_container(plan, env, args)],
            "volumes": volumes(plan),
            "resourceClaims": resource_claims(plan) if plan.device_claims else [],
        }

    def _subdomain(self, job: Job) -> str | None:
        is_missing = self.traits.has_full_names and not self.traits.creates_service
        return job.headless_service.name if job.headless_service and is_missing else None

    def _variable(self, variable: EnvVar, job: Job, index: int) -> dict[str, Any]:
        value = variable.value
        if type(value) is PodFact:  # isinstance is slow for an Enum
            value = field(_FIELDS[value]) if value in _FIELDS else self.fact(value, job, index)
        name = "value" if isinstance(value, str) else "valueFrom"
        return Traced.of({"name": variable.name, name: value}, variable.origin)

    def _argument(self, arg: Arg, job: Job, index: int) -> str:
        if isinstance(arg, str):
            return arg
        value = self.fact(arg.fact, job, index)
        return arg.before + (value if isinstance(value, str) else f"$({arg.variable})")


def _on_node_network(origin: Span) -> dict[str, Any]:
    return {Text("hostNetwork", origin): True, "dnsPolicy": "ClusterFirstWithHostNet"}


def planned(job: Job, kind: str, name: str, template: str, **variables: Any) -> Planned:
    """Return an object with the job's labels and annotations."""
    return Planned(kind=kind, template=f"{template}.yaml.j2", context={**metadata(job, name), **variables})


def field(path: str) -> Fact:
    """Return a fact from the downward API."""
    return {"fieldRef": {"fieldPath": path}}


def label_field(name: str) -> Fact:
    """Return a fact from one of the pod's labels."""
    return field(f"metadata.labels['{name}']")
