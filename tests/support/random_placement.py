"""Random nodes, and random jobs for them, from a seed: 1,000 nodes in pools, and jobs for a pool or all of them."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

POOLS, POOL_SIZE = 25, 40
POOL = "tests.trainc.dev/pool"
RACK, ZONE, RANK = "topology.kubernetes.io/rack", "topology.kubernetes.io/zone", "node.kubernetes.io/rank"
GPU = "nvidia.com/gpu"
TAINTS = (
    {"key": GPU, "value": "present", "effect": "NoSchedule"},
    {"key": "dedicated", "value": "infra", "effect": "NoExecute"},
    {"key": "spot", "effect": "NoSchedule"},
    {"key": "slow", "value": "true", "effect": "PreferNoSchedule"},
)
Object = dict[str, Any]


class Case(NamedTuple):
    """Jobs that are applied together, as fields of `spec`; `pool` is None for jobs that may use every node."""

    pool: int | None
    jobs: list[Object]


def nodes(source: random.Random) -> list[Object]:
    """Return the Nodes of all pools."""
    return [node for pool in range(POOLS) for node in _pool(source, pool)]


def _pool(source: random.Random, pool: int) -> list[Object]:
    shapes = [_shape(source) for _ in range(source.randint(1, 4))]
    racks = source.randint(1, 6)
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
        taints = [each for each in TAINTS if source.random() < shape["taints"]]
        spec = {"taints": taints, **({"unschedulable": True} if source.random() < 0.08 else {})}
        created.append(
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {"name": name, "labels": labels},
                "spec": spec,
                "status": {"capacity": shape["amounts"], "allocatable": shape["amounts"]},
            }
        )
    return created


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


def _job(source: random.Random, pool: int | None) -> Object:
    spec: Object = {"workers": source.choice((1, 2, 3, 4, 6, 8, 12, 20)), "resources": _resources(source)}
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
    if source.random() < 0.15:
        spec["network"] = {"hostNetwork": True}
    if source.random() < 0.3:
        spec["podTemplate"] = _template(source)
    spec["scheduling"] = scheduling
    spec["launch"] = source.choice(({"torchrun": {}}, {"basic": {}}))
    return spec


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
            name = node["metadata"]["name"]
            amounts = {"requests": requests, "limits": {GPU: "1"} if GPU in requests else {}}
            container = {"name": "main", "image": "image:1", "resources": amounts}
            spec = {"nodeName": name, "containers": [container]}
            pods.append({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"running-{name}"}, "spec": spec})
    return pods
