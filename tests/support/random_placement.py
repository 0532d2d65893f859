"""Random nodes, and random jobs for them, from a seed: 1,000 nodes in pools, and jobs for a pool or all of them.

The last pools have slices of TPUs. Jobs have volumes, and gangs that may have to run in one rack or zone.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from tests.support.random_tpus import TAINT, TPU, slice_hosts, tpu_job
from tests.support.random_volumes import RACK, ZONE, job_volumes

POOLS, POOL_SIZE, TPU_POOLS = 25, 40, 3
POOL = "tests.trainc.dev/pool"
RANK = "node.kubernetes.io/rank"
GPU = "nvidia.com/gpu"
TAINTS = (
    {"key": GPU, "value": "present", "effect": "NoSchedule"},
    {"key": "dedicated", "value": "infra", "effect": "NoExecute"},
    {"key": "spot", "effect": "NoSchedule"},
    {"key": "slow", "value": "true", "effect": "PreferNoSchedule"},
)
Object = dict[str, Any]


class Job(NamedTuple):
    """Fields of `spec` of a job, its back end, and the label that the nodes of its gang have in common, if any."""

    spec: Object
    backend: str = "pods"
    group_topology: str = ""


class Case(NamedTuple):
    """Jobs that are applied together; `pool` is None for jobs that may use every node."""

    pool: int | None
    jobs: list[Job]


def nodes(source: random.Random) -> list[Object]:
    """Return the Nodes of all pools."""
    return [node for pool in range(POOLS) for node in _pool(source, pool)]


def _pool(source: random.Random, pool: int) -> list[Object]:
    shapes = [_shape(source) for _ in range(source.randint(1, 4))]
    racks = source.randint(1, 6)
    hosts = slice_hosts(source, f"tpu-{pool}", POOL_SIZE) if _has_tpus(pool) else [{} for _ in range(POOL_SIZE)]
    created = []
    for number in range(POOL_SIZE):
        shape = source.choice(shapes)
        name = f"n-{pool}-{number}"
        labels = {POOL: str(pool), "kubernetes.io/hostname": name, RANK: str(source.randint(0, 9))}
        if source.random() < 0.92:
            labels[RACK] = f"r{pool}-{source.randrange(racks)}"
        if source.random() < 0.97:
            labels[ZONE] = f"z{source.randrange(3)}"
        labels["nvidia.com/gpu.product"] = shape["product"]
        labels |= hosts[number]
        taints = [each for each in TAINTS if source.random() < shape["taints"]]
        amounts = shape["amounts"]
        if hosts[number]:
            taints, amounts = [*taints, TAINT], {**amounts, TPU: "4"}
        spec = {"taints": taints, **({"unschedulable": True} if source.random() < 0.08 else {})}
        created.append(
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {"name": name, "labels": labels},
                "spec": spec,
                "status": {"capacity": amounts, "allocatable": amounts},
            }
        )
    return created


def _has_tpus(pool: int | None) -> bool:
    return pool is not None and pool >= POOLS - TPU_POOLS


def _shape(source: random.Random) -> Object:
    gpus = source.choice((0, 1, 2, 4, 8, 8))
    amounts = {
        "cpu": source.choice(("3920m", "8", "16", "94", "127500m")),
        "memory": source.choice(("30Gi", "64Gi", "1000Gi")),
    }
    amounts |= {"pods": str(source.choice((2, 8, 110, 110))), "ephemeral-storage": "200Gi"}
    if gpus:
        amounts[GPU] = str(gpus)
    return {
        "amounts": amounts,
        "product": source.choice(("A100", "H100")) if gpus else "none",
        "taints": source.choice((0, 0, 0.05, 0.4)),
    }


def cases(source: random.Random, count: int) -> list[Case]:
    """Return cases, most of them for a pool."""
    created = []
    for number in range(count):
        pool = number % POOLS if source.random() < 0.95 else None
        created.append(Case(pool, [_job(source, pool) for _ in range(source.choice((1, 1, 1, 2)))]))
    return created


def _job(source: random.Random, pool: int | None) -> Job:
    if _has_tpus(pool) and source.random() < 0.8:
        backend, spec, scheduling = tpu_job(source)
        return Job({**spec, "scheduling": {**scheduling, "nodeSelector": {POOL: str(pool)}}}, backend)
    spec = {"workers": source.choice((1, 2, 3, 4, 6, 8, 12, 20)), "resources": _resources(source)}
    spec["launch"] = source.choice(({"torchrun": {}}, {"basic": {}}))
    spec["scheduling"] = _scheduling(source, pool)
    if source.random() < 0.15:
        spec["network"] = {"hostNetwork": True}
    if source.random() < 0.3:
        spec["podTemplate"] = _template(source)
    if source.random() < 0.35:
        spec["volumes"] = job_volumes(source, pool)
    group_topology = ""
    if source.random() < 0.25:
        spec["scheduling"]["gang"] = "kubernetes"
        group_topology = source.choice(("", RACK, RACK, ZONE))
    return Job(spec, group_topology=group_topology)


def _scheduling(source: random.Random, pool: int | None) -> Object:
    scheduling: Object = {}
    if pool is not None:
        scheduling["nodeSelector"] = {POOL: str(pool)}
    if source.random() < 0.1:
        scheduling.setdefault("nodeSelector", {})["nvidia.com/gpu.product"] = source.choice(("A100", "H100", "none"))
    if source.random() < 0.5:
        scheduling["tolerations"] = [_toleration(source, each) for each in TAINTS if source.random() < 0.6] or [
            {"operator": "Exists"}
        ]
    if source.random() < 0.2:
        scheduling["affinity"] = {"nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": _terms(source)}}}
    if source.random() < 0.3:
        scheduling["topologyKey"] = source.choice((RACK, ZONE))
    if source.random() < 0.3:
        scheduling["oneWorkerPerNode"] = True
    if source.random() < 0.3:
        keys = source.sample([RACK, ZONE, "kubernetes.io/hostname"], source.choice((1, 1, 2)))
        scheduling["topologySpreadConstraints"] = [_spread(source, key) for key in keys]
    return scheduling


_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def _resources(source: random.Random) -> Object:
    amounts = {
        "cpu": source.choice(("500m", "1", "2", "4", "12", "60")),
        "memory": source.choice(("1Gi", "4Gi", "31Gi", "200Gi")),
    }
    gpus = source.choice((0, 0, 1, 1, 2, 4, 8))
    return amounts | ({"gpu": gpus} if gpus else {})


def _toleration(source: random.Random, taint: Object) -> Object:
    forms: list[Object] = [
        {"key": taint["key"], "operator": "Exists"},
        {"key": taint["key"], "operator": "Exists", "effect": taint["effect"]},
        {"key": taint["key"], "value": taint.get("value", ""), "effect": taint["effect"]},
        {"key": taint["key"], "operator": "Equal", "value": "other"},
        {"operator": "Exists", "effect": "NoSchedule"},
    ]
    return source.choice(forms)


def _terms(source: random.Random) -> list[Object]:
    return [
        {"matchExpressions": [_expression(source) for _ in range(source.choice((1, 1, 2)))]}
        for _ in range(source.choice((1, 1, 2)))
    ]


def _expression(source: random.Random) -> Object:
    return source.choice(
        (
            {"key": RANK, "operator": "Gt", "values": [str(source.randint(0, 9))]},
            {"key": RANK, "operator": "Lt", "values": [str(source.randint(0, 9))]},
            {"key": RACK, "operator": "Exists"},
            {"key": RACK, "operator": "DoesNotExist"},
            {"key": ZONE, "operator": "In", "values": source.sample(["z0", "z1", "z2", "z9"], 2)},
            {"key": ZONE, "operator": "NotIn", "values": [source.choice(("z0", "z1", "z2"))]},
        )
    )


def _spread(source: random.Random, key: str) -> Object:
    rule: Object = {"maxSkew": source.choice((1, 1, 2, 4)), "topologyKey": key}
    rule["whenUnsatisfiable"] = source.choice(("DoNotSchedule", "DoNotSchedule", "ScheduleAnyway"))
    if rule["whenUnsatisfiable"] == "DoNotSchedule" and source.random() < 0.2:
        rule["minDomains"] = source.choice((2, 3, 5))
    if source.random() < 0.3:
        rule["nodeTaintsPolicy"] = source.choice(("Honor", "Ignore"))
    if source.random() < 0.2:
        rule["nodeAffinityPolicy"] = source.choice(("Honor", "Ignore"))
    return rule


def _template(source: random.Random) -> Object:
    requests = {"cpu": source.choice(("1", "6", "20")), "memory": source.choice(("2Gi", "40Gi"))}
    init: Object = {"name": "prepare", "image": "image:1", "resources": {"requests": requests}}
    if source.random() < 0.5:
        init |= {"name": "sidecar", "restartPolicy": "Always"}
    container: Object = {"name": "log", "image": "image:1", "resources": {"limits": {"memory": "1Gi"}}}
    if source.random() < 0.4:
        port = source.choice((9400, 9401))
        container["ports"] = [{"containerPort": port, "hostPort": port}]
    return {"spec": {"initContainers": [init], **({"containers": [container]} if source.random() < 0.6 else {})}}


def running_pods(source: random.Random, created: list[Object]) -> list[Object]:
    """Return pods that run already, on some of the nodes."""
    pods = []
    for node in created:
        if source.random() < 0.2:
            requests = {"cpu": source.choice(("100m", "1500m", "3")), "memory": source.choice(("100Mi", "20Gi"))}
            if GPU in node["status"]["allocatable"] and source.random() < 0.5:
                requests[GPU] = "1"
            if TPU in node["status"]["allocatable"] and source.random() < 0.5:
                requests[TPU] = "4"
            name = node["metadata"]["name"]
            amounts = {
                "requests": requests,
                "limits": {device: requests[device] for device in (GPU, TPU) if device in requests},
            }
            container = {"name": "main", "image": "image:1", "resources": amounts}
            spec = {"nodeName": name, "containers": [container]}
            pods.append({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"running-{name}"}, "spec": spec})
    return pods
