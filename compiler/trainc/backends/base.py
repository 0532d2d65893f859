"""What a back end is, and what all of them share: labels, names, the pod."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

from trainc.emit.render import Planned
from trainc.ir.env import EnvVar, FactArg, PodFact
from trainc.ir.job import Gang, Job
from trainc.ir.pod import Mount, PodPlan, Port
from trainc.target import Target

# What a PodFact is on a back end: the text itself, or Kubernetes' valueFrom.
Fact = str | dict[str, Any]


COMPONENT = "app.kubernetes.io/component"
NEEDED = ("cpu", "memory")
# Facts that the downward API knows of every pod, whatever made it.
_FIELDS = {PodFact.POD_IP: "status.podIP", PodFact.HOST_IP: "status.hostIP"}


class Backend(ABC):
    """Turns a job into objects. Add one: docs/adding-a-backend.md."""

    name: ClassVar[str]
    # Fields of the job that this back end cannot express, and why; `checks/unsupported.py` reports them.
    unsupported: ClassVar[dict[str, str]] = {}
    # Characters that the controller adds to the name of its object where a label must hold both.
    name_suffix: ClassVar[int] = 0

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
            from trainc.backends.shared.gang import group

            yield group(job, job.gang, metadata(job, job.name))

    def services(self, job: Job) -> Iterator[Planned]:
        """The headless Service that gives every pod its name, and the one that gives worker 0 its short name."""
        if job.peers is None:
            return
        names = [(job.peers.stem, selector(job))]
        if job.peers.leader_alias:
            names.append((f"{job.peers.stem}-0", {**selector(job), **self.leader()}))
        for name, selects in names:
            context = {**metadata(job, name), "selector": selects, "ports": job.peers.ports}
            yield Planned(kind="Service", template="shared/service.yaml.j2", context=context)

    def server(self, job: Job) -> Iterator[Planned]:
        """The etcd that keeps the rendezvous, where the job wants one of its own."""
        if job.etcd is None:
            return
        marks = {"trainc.dev/job": job.name, "trainc.dev/role": "etcd"}
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
            "subdomain": job.peers.stem if job.peers else None,
            "restart_policy": None,
            "active_deadline_seconds": None,
            "labels": pod_labels(job),
            "annotations": pod_annotations(job),
        }
        return {
            "plan": plan,
            "command": list(plan.program.command),
            "args": [self._arg(arg, job, index) if isinstance(arg, FactArg) else arg for arg in plan.program.args],
            "env": [self._variable(variable, job, index) for variable in plan.env],
            "resources": resources(plan.requests, plan.limits),
            "mounts": [mounted(mount) for mount in plan.mounts],
            "init_containers": _init_containers(plan),
            "volumes": [{"name": volume.name, volume.kind: volume.source} for volume in plan.volumes],
            **_placement(job, grouped=job.gang is not None and not self.makes_gangs(job.gang)),
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


def labels(job: Job) -> dict[str, str]:
    """Labels of every object of a job; the user's may override Kubernetes' common ones.

    https://kubernetes.io/docs/concepts/overview/working-with-objects/common-labels/
    """
    common = {"app.kubernetes.io/name": job.name, "app.kubernetes.io/managed-by": "trainc"}
    return {**common, "trainc.dev/job": job.name, **job.labels}


def pod_labels(job: Job) -> dict[str, str]:
    """Labels of every pod of a job."""
    component = {} if COMPONENT in job.labels else {COMPONENT: job.role}
    found = {**labels(job), **component, **selector(job)}
    if job.gang and job.gang.scheduler == "coscheduling":
        # https://scheduler-plugins.sigs.k8s.io/docs/plugins/coscheduling/
        found["scheduling.x-k8s.io/pod-group"] = job.name
    return found


def pod_annotations(job: Job) -> dict[str, str]:
    """Annotations of every pod of a job."""
    if job.gang and job.gang.scheduler == "volcano":
        # https://volcano.sh/en/docs/podgroup/
        return {**job.annotations, "scheduling.k8s.io/group-name": job.name}
    return job.annotations


def selector(job: Job) -> dict[str, str]:
    """The labels that select the pods of this job and of no other in its namespace."""
    return {"trainc.dev/job": job.name, "trainc.dev/role": job.role}


def metadata(job: Job, name: str) -> dict[str, Any]:
    """The variables of shared/metadata.yaml.j2."""
    return {"name": name, "namespace": job.namespace, "labels": labels(job), "annotations": job.annotations}


def field(path: str) -> Fact:
    """A fact by the downward API."""
    return {"fieldRef": {"fieldPath": path}}


def resources(requests: dict[str, str], limits: dict[str, str]) -> dict[str, Any]:
    """A container's `resources`; empty when nothing is asked for."""
    # Strings, as the API server gives them back: of a number kubectl says at every apply that it has changed.
    both = {"requests": requests, "limits": limits}
    return {name: given for name, given in both.items() if given}


def mounted(mount: Mount) -> dict[str, Any]:
    """A container's `volumeMounts` entry."""
    found: dict[str, Any] = {"name": mount.volume, "mountPath": mount.path}
    if mount.sub_path is not None:
        found["subPath"] = mount.sub_path
    return {**found, "readOnly": True} if mount.read_only else found


def _init_containers(plan: PodPlan) -> list[dict[str, Any]]:
    """What has to be done first, by the training image: no other has to be pulled.

    With the CPUs and the memory of the training container, or the pod would lose its Guaranteed quality of
    service; without the GPU it doesn't need: https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/#guaranteed
    """
    own = {"image": plan.image}
    if plan.image_pull_policy is not None:
        own["imagePullPolicy"] = plan.image_pull_policy
    needed = ({name: given[name] for name in NEEDED if name in given} for given in (plan.requests, plan.limits))
    same = resources(*needed)
    found: list[dict[str, Any]] = []
    for step in plan.preparations:
        container: dict[str, Any] = {"name": step.name, **own, "command": list(step.command)}
        if same:
            container["resources"] = same
        if step.mounts:
            container["volumeMounts"] = [mounted(mount) for mount in step.mounts]
        found.append(container)
    return found


def _placement(job: Job, grouped: bool) -> dict[str, Any]:
    place = job.pod.placement
    affinity = place.affinity
    if place.one_a_node or place.together:
        from trainc.backends.shared.affinity import with_peers

        affinity = with_peers(place, selector(job))
    scheduler = place.scheduler_name
    if job.gang and job.gang.scheduler == "volcano":
        scheduler = scheduler or "volcano"
    plain = [("priorityClassName", place.priority_class_name), ("schedulerName", scheduler)]
    blocks = {
        "nodeSelector": place.node_selector,
        "affinity": affinity,
        "tolerations": place.tolerations,
        # Without a selector a constraint counts no pod at all, and spreads nothing.
        "topologySpreadConstraints": [
            {**rule, "labelSelector": rule.get("labelSelector") or {"matchLabels": selector(job)}}
            for rule in place.topology_spread_constraints or ()
        ],
    }
    if grouped and job.gang and job.gang.scheduler == "kubernetes":
        from trainc.backends.shared.gang import membership

        blocks |= membership(job, job.gang)
    return {
        "placement": [(name, value) for name, value in plain if value is not None],
        "placement_blocks": {name: value for name, value in blocks.items() if value},
    }
