"""Parts of a pod spec: containers and scheduling fields."""

from __future__ import annotations

from trainc.ir.job import Gang, Job
from trainc.ir.pod import Mount, Placement, PodPlan
from trainc.systems.shared.facts import GANG_SCHEDULERS, WORKLOAD
from trainc.systems.shared.objects.labels import selector
from trainc.typenames import Any
from trainc.well_known import HOSTNAME_LABEL, MAIN

INIT_RESOURCES = ("cpu", "memory")
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def resources(requests: dict[str, str], limits: dict[str, str]) -> dict[str, Any]:
    """Return a container's `resources`; empty without requests and limits."""
    # Strings, as the API server returns them: kubectl would report a number as changed in every apply.
    sections = {"requests": requests, "limits": limits}
    return {name: amounts for name, amounts in sections.items() if amounts}


def volume_mount(mount: Mount) -> dict[str, Any]:
    """Return an entry of a container's `volumeMounts`."""
    entry: dict[str, Any] = {"name": mount.volume, "mountPath": mount.path}
    if mount.sub_path is not None:
        entry["subPath"] = mount.sub_path
    return {**entry, "readOnly": True} if mount.read_only else entry


def init_containers(plan: PodPlan) -> list[dict[str, Any]]:
    """Return the init containers. They use the training image, so that no other image has to be pulled.

    They have the CPUs and the memory of the training container, or the pod would lose its Guaranteed quality of
    service, and no GPU: https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/#guaranteed
    """
    sections = (plan.requests, plan.limits)
    amounts = ({name: section[name] for name in INIT_RESOURCES if name in section} for section in sections)
    own = {"image": plan.image, "imagePullPolicy": plan.image_pull_policy}
    shared = {"resources": resources(*amounts), "securityContext": plan.security.others}
    containers = [
        {
            "name": step.name,
            **own,
            "command": list(step.command),
            **shared,
            "volumeMounts": [volume_mount(mount) for mount in step.mounts],
        }
        for step in plan.init_commands
    ]
    return [{name: value for name, value in container.items() if value} for container in containers]


def rename_container_refs(value: Any, container: str) -> Any:
    """Return variables or volumes whose `resourceFieldRef` names the training container as the operator does.

    An unknown name keeps the container from starting:
    https://kubernetes.io/docs/concepts/workloads/pods/downward-api/#downwardapi-resourceFieldRef
    """
    if isinstance(value, list):
        return [rename_container_refs(item, container) for item in value]
    if not isinstance(value, dict):
        return value
    renamed = {name: rename_container_refs(inner, container) for name, inner in value.items()}
    reference = renamed.get("resourceFieldRef")
    if isinstance(reference, dict) and reference.get("containerName") == MAIN:
        renamed["resourceFieldRef"] = {**reference, "containerName": container}
    return renamed


def placement(job: Job) -> dict[str, Any]:
    """Return the scheduling variables of shared/pod_spec.yaml.j2."""
    place, gang = job.pod.placement, job.gang
    scheduler = place.scheduler_name or (GANG_SCHEDULERS.get(gang.scheduler) if gang else None)
    scalars = [("priorityClassName", place.priority_class_name), ("schedulerName", scheduler)]
    blocks = {
        "nodeSelector": place.node_selector,
        "affinity": _with_pod_terms(place, selector(job)) if place.one_a_node or place.colocation else place.affinity,
        "tolerations": place.tolerations,
        # A constraint without a selector matches no pod, and so spreads none.
        "topologySpreadConstraints": [
            {**rule, "labelSelector": rule.get("labelSelector") or {"matchLabels": selector(job)}}
            for rule in place.topology_spread_constraints or ()
        ],
        **(_membership(job, gang) if gang and gang.scheduler == "kubernetes" else {}),
    }
    return {
        "placement": [(name, value) for name, value in scalars if value is not None],
        "placement_blocks": {name: value for name, value in blocks.items() if value},
    }


def _membership(job: Job, gang: Gang) -> dict[str, Any]:
    """Return the reference to the pod's group: https://kubernetes.io/docs/concepts/workloads/pods/scheduling-group/"""
    if gang.version == WORKLOAD:
        return {"workloadRef": {"name": job.name, "podGroup": job.role}}
    return {"schedulingGroup": {"podGroupName": job.name}}


def _with_pod_terms(place: Placement, selector: dict[str, str]) -> dict[str, Any]:
    """Return the job's affinity with terms that select its own pods.

    The first pod with a required term that only its own job satisfies can be scheduled anywhere:
    https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#inter-pod-affinity-and-anti-affinity
    """
    terms: list[tuple[str, str, dict[str, Any]]] = []
    peers = {"matchLabels": selector}
    if place.colocation:
        term: dict[str, Any] = {"labelSelector": peers, "topologyKey": place.colocation.key}
        if place.colocation.required:
            terms.append(("podAffinity", REQUIRED, term))
        else:
            terms.append(("podAffinity", PREFERRED, {"weight": 100, "podAffinityTerm": term}))
    if place.one_a_node:
        terms.append(("podAntiAffinity", REQUIRED, {"labelSelector": peers, "topologyKey": HOSTNAME_LABEL}))
    affinity = dict(place.affinity or {})
    for kind, field, term in terms:
        rules = affinity.get(kind) or {}
        affinity[kind] = {**rules, field: [*(rules.get(field) or []), term]}
    return affinity
