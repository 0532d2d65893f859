"""Make the entry of a cluster from the output of `kubectl get -o json`, without secrets and people's names.

Only the fields below are copied: no annotations, images, addresses, names of nodes or pods, environment or users.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from trainc.cluster.read_volumes import bound_claims, storage_classes, topology_labels
from trainc.placement.node import Amounts, whole
from trainc.plan.fields import Object, at, items, listed, mapping, text
from trainc.plan.pods import new_pod
from trainc.plan.quantity import parse_quantity
from trainc.plan.usage import effective
from trainc.quantity import NANO, byte_quantity, is_quantity
from trainc.well_known import API_VERSION, CLUSTER_KIND, HOSTNAME_LABEL

# What `trainc cluster command` asks for. Kinds of Kueue are only in a cluster that has it.
KINDS = (
    "nodes",
    "pods",
    "namespaces",
    "resourcequotas",
    "priorityclasses",
    "storageclasses",
    "customresourcedefinitions",
)
VOLUME_KINDS = ("persistentvolumes", "persistentvolumeclaims")
KUEUE_KINDS = ("localqueues.kueue.x-k8s.io", "clusterqueues.kueue.x-k8s.io")
_FINISHED = ("Succeeded", "Failed")
_POD_SECURITY = "pod-security.kubernetes.io/enforce"
# Prefixes and keys of labels that place training pods, or that name the kind of a node. Others may name people.
_LABELS = (
    "topology.kubernetes.io/", "node.kubernetes.io/", "kubernetes.io/arch", "kubernetes.io/os",
    "node-role.kubernetes.io/",
    "nvidia.com/", "amd.com/", "gpu.intel.com/", "cloud.google.com/", "eks.amazonaws.com/", "karpenter.sh/",
    "kubernetes.azure.com/", "topology.k8s.aws/", "feature.node.kubernetes.io/", "kueue.x-k8s.io/", "habana.ai/",
)  # fmt: skip
_RACK_LABELS = ("rack", "block", "host-group", "network-node-layer", "leafgroup", "nvlink", "clique")
_UNUSED = ("hugepages-",)  # without an amount on most nodes
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_TRANSIENT = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable", "node.kubernetes.io/unschedulable")


def kubectl_command(kinds: Iterable[str] = KINDS) -> str:
    """Return the line that prints what an entry needs."""
    return f"kubectl get {','.join(kinds)} --all-namespaces --output json"


def entry_document(
    name: str, objects: list[Object], extra_labels: Iterable[str] = (), counts_all_pods: bool = False
) -> Object:
    """Return the document of an entry. `extra_labels` are keys of further labels of nodes to keep.

    The pods of DaemonSets are use of the nodes, with `counts_all_pods` all that run.
    """
    by_kind: defaultdict[str, list[Object]] = defaultdict(list)
    for each in objects:
        by_kind[text(each, "kind")].append(each)
    spec: Object = {}
    classes = list(storage_classes(by_kind["StorageClass"], by_kind["PersistentVolume"]))
    claims = sorted(bound_claims(by_kind["PersistentVolume"], by_kind["PersistentVolumeClaim"]), key=str)
    if version := _version(by_kind["Node"]):
        spec["kubernetes"] = version
    if by_kind["Node"]:
        pods = [each for each in by_kind["Pod"] if counts_all_pods or _is_of_daemon_set(each)]
        labels = (*extra_labels, *topology_labels(classes, claims))
        spec["nodes"] = _shapes(by_kind["Node"], pods, labels)
    sections = {
        "namespaces": _namespaces(by_kind["Namespace"], by_kind["ResourceQuota"]),
        "queues": _queues(by_kind["LocalQueue"], by_kind["ClusterQueue"]),
        "priorityClasses": sorted(filter(None, (_name(each) for each in by_kind["PriorityClass"]))),
        "storageClasses": classes,
        "claims": claims,
        "customResources": sorted(_custom_resources(by_kind["CustomResourceDefinition"]), key=str),
    }
    spec |= {section: content for section, content in sections.items() if content}
    if by_kind["PersistentVolume"]:  # the volumes of other claims can be used by all nodes
        spec.setdefault("claims", [])
    return {"apiVersion": API_VERSION, "kind": CLUSTER_KIND, "metadata": {"name": name}, "spec": spec}


def _name(resource: Object) -> str:
    return text(resource, "metadata", "name")


def _version(nodes: list[Object]) -> str:
    """Return the version of most kubelets, which the API server has too or is newer than."""
    versions = Counter(text(each, "status", "nodeInfo", "kubeletVersion").removeprefix("v") for each in nodes)
    major, _, rest = (versions.most_common(1)[0][0] if versions else "").partition(".")
    minor = rest.partition(".")[0]
    return f"1.{minor}" if major == "1" and minor.isascii() and minor.isdigit() and len(minor) < 3 else ""


def _shapes(nodes: list[Object], pods: list[Object], extra: tuple[str, ...]) -> list[Object]:
    """Group equal nodes. Nodes that differ only in their rack are one shape."""
    used: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for pod in pods:
        if text(pod, "status", "phase") not in _FINISHED and (name := text(pod, "spec", "nodeName")):
            used[name].update(_requests(pod))
    racks = _rack_label(nodes, extra)
    groups: dict[str, Object] = {}
    members: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for each in nodes:
        shape = _shape(each, used[_name(each)], extra)
        rack = shape["labels"].pop(racks, "") if racks else ""
        key = json.dumps(shape, sort_keys=True)
        groups.setdefault(key, shape)
        members[key][rack] += 1
    ordered = sorted(groups, key=lambda key: (-sum(members[key].values()), key))
    return [_named(groups[key], number, racks, members[key]) for number, key in enumerate(ordered, 1)]


def _is_of_daemon_set(pod: Object) -> bool:
    return any(text(owner, "kind") == "DaemonSet" for owner in items(pod, "metadata", "ownerReferences"))


def _named(shape: Object, number: int, racks: str, members: Counter[str]) -> Object:
    """Return a shape with its name, which has the kind of its devices, and the number of its nodes."""
    device = next((name for name in shape["allocatable"] if "/" in name), "")
    prefix = device.rpartition("/")[2] or "cpu"
    shown: Object = {"name": f"{prefix}-{number}", "count": members.total()}
    values = {rack: count for rack, count in sorted(members.items()) if rack}
    if values:
        shown["racks"] = {"label": racks, "nodes": values}
    return shown | {field: value for field, value in shape.items() if value or field == "allocatable"}


def _shape(node: Object, used: Counter[str], extra: tuple[str, ...]) -> Object:
    labels = {
        key: str(value)
        for key, value in mapping(node, "metadata", "labels").items()
        if isinstance(value, str)
        and key != HOSTNAME_LABEL
        and (key.startswith(_LABELS) or key in extra or _is_rack(key))
    }
    amounts = {
        name: str(value)
        for name, value in mapping(node, "status", "allocatable").items()
        if _is_amount(value) and (not name.startswith(_UNUSED) or parse_quantity(value))
    }
    taints = [
        {field: text(each, field) for field in ("key", "value", "effect") if text(each, field)}
        for each in items(node, "spec", "taints")
        if text(each, "key") not in ("", *_TRANSIENT) and text(each, "effect") in _EFFECTS
    ]
    return {
        "allocatable": dict(sorted(amounts.items(), key=lambda each: ("/" not in each[0], each[0]))),
        "used": {name: _quantity(name, amount) for name, amount in sorted(used.items()) if amount},
        "labels": dict(sorted(labels.items())),
        "taints": sorted(taints, key=str),
        "unschedulable": at(node, "spec", "unschedulable") is True,
    }


def _is_amount(value: Any) -> bool:
    return is_quantity(str(value)) and parse_quantity(value) >= 0


def _is_rack(key: str) -> bool:
    return key.rpartition("/")[2].rpartition("-")[2] in _RACK_LABELS or key.rpartition("/")[2] in _RACK_LABELS


def _rack_label(nodes: list[Object], extra: tuple[str, ...]) -> str:
    """Return the rack's label that most nodes have, empty if none has one."""
    keys = Counter(
        key for node in nodes for key in mapping(node, "metadata", "labels") if _is_rack(key) or key in extra
    )
    return next((key for key, _ in keys.most_common() if _is_rack(key)), "")


def _requests(pod: Object) -> Amounts:
    planned = new_pod(pod, mapping(pod, "spec"), "", _name(pod), 0, {})
    return {"pods": 1, **{name: whole(name, amount) for name, amount in effective(planned, "requests").items()}}


def _quantity(name: str, amount: int) -> str:
    if name == "cpu":
        return f"{amount}m" if amount % 1000 else str(amount // 1000)
    return byte_quantity(amount * NANO) if name in ("memory", "ephemeral-storage") else str(amount)


def _namespaces(namespaces: list[Object], quotas: list[Object]) -> list[Object]:
    """Return the namespaces with a Pod Security level or a quota; the lowest of several quotas."""
    hard: defaultdict[str, dict[str, tuple[str, str]]] = defaultdict(dict)
    for quota in quotas:
        if at(quota, "spec", "scopes") or at(quota, "spec", "scopeSelector"):
            continue  # for some pods only
        limits = {name: limit for name, limit in mapping(quota, "status", "hard").items() if _is_amount(limit)}
        for name, limit in limits.items():
            own = hard[text(quota, "metadata", "namespace")]
            if name not in own or parse_quantity(limit) < parse_quantity(own[name][0]):
                own[name] = str(limit), str(mapping(quota, "status", "used").get(name, 0))
    levels = {_name(each): text(each, "metadata", "labels", _POD_SECURITY) for each in namespaces}
    entries = []
    for name in sorted({*hard, *(name for name, level in levels.items() if level)} - {""}):
        limits = hard[name]
        fields: Object = {"podSecurity": levels.get(name, "")}
        fields |= {
            field: {key: each[side] for key, each in sorted(limits.items())}
            for side, field in enumerate(("quota", "used"))
        }
        entries.append({"name": name, **{field: value for field, value in fields.items() if value}})
    return entries


def _queues(local: list[Object], cluster: list[Object]) -> list[Object]:
    """Return the LocalQueues with what their ClusterQueues may use: nominal quota and borrowing limit of all flavors.

    A resource that may be borrowed without a limit has no quota.
    """
    quotas = {_name(each): _quota(each) for each in cluster}
    queues = []
    for queue in local:
        quota = quotas.get(text(queue, "spec", "clusterQueue"), {})
        fields: Object = {"name": _name(queue), "namespace": text(queue, "metadata", "namespace"), "quota": quota}
        queues.append({field: value for field, value in fields.items() if value})
    return sorted(queues, key=str)


def _quota(queue: Object) -> dict[str, str]:
    total: dict[str, Any] = {}
    for group in items(queue, "spec", "resourceGroups"):
        for resource in (each for flavor in items(group, "flavors") for each in items(flavor, "resources")):
            name, limit = text(resource, "name"), resource.get("borrowingLimit")
            amount = parse_quantity(resource.get("nominalQuota", 0)) + parse_quantity(limit or 0)
            borrows = bool(text(queue, "spec", "cohort") or text(queue, "spec", "cohortName")) and limit is None
            total[name] = None if borrows or total.get(name, 0) is None else total.get(name, 0) + amount
    return {name: _quantity(name, whole(name, amount)) for name, amount in sorted(total.items()) if amount is not None}


def _custom_resources(definitions: list[Object]) -> Iterator[Object]:
    for each in definitions:
        versions = [
            text(version, "name") for version in listed(each, "spec", "versions") if at(version, "served") is True
        ]
        group, kind = text(each, "spec", "group"), text(each, "spec", "names", "kind")
        if group and kind and versions:
            yield {"group": group, "kind": kind, "versions": versions}
