"""Which pods fit which nodes; numbers are worked out by hand. tests/cluster compares with kube-scheduler."""

from __future__ import annotations

from typing import Any

import pytest

from trainc.placement.demand import Demand, demands
from trainc.placement.fit import Fit, fits
from trainc.placement.node import Node, Taint, read_amounts
from trainc.placement.obstacles import Obstacle, obstacles
from trainc.placement.words import nodes as nodes_in_words
from trainc.placement.words import sentence
from trainc.plan.pods import create_pods

RACK = "topology.kubernetes.io/rack"
GPU_NODE = {"cpu": "94", "memory": "1000Gi", "nvidia.com/gpu": "8", "pods": "110"}


def pods(count: int = 1, **spec: Any) -> list[Demand]:
    """Return the demand of equal pods, by default with 8 GPUs."""
    amounts = {"limits": {"nvidia.com/gpu": 8}, "requests": {"cpu": 4}}
    spec = {"containers": [{"name": "main", "image": "image:1", "resources": amounts}], **spec}
    labels = {"job": "mnist"}
    return demands(
        create_pods(
            [{"kind": "Pod", "metadata": {"name": f"p-{n}", "labels": labels}, "spec": spec} for n in range(count)]
        )
    )


def nodes(count: int, amounts: dict[str, str] = GPU_NODE, **fields: Any) -> list[Node]:
    fields = {"labels": {}, "shape": "gpu", **fields}
    return [Node(name=f"{fields['shape']}-{n}", allocatable=read_amounts(amounts), **fields) for n in range(count)]


def fit(demand: list[Demand], cluster: list[Node]) -> Fit:
    (result,) = fits(demand, cluster)
    return result


def kinds(demand: list[Demand], node: Node) -> list[str]:
    return [each.kind for each in obstacles(demand[0], node)]


def test_the_sentence_says_which_requirement_removes_which_nodes() -> None:
    small = nodes(20, {"cpu": "16", "memory": "60Gi"}, shape="cpu")
    tainted = nodes(3, taints=(Taint("dedicated", "infra", "NoSchedule"),), shape="infra")
    result = fit(pods(4), [*small, *tainted, *nodes(1)])
    expected = "24 nodes: 20 lack 8 nvidia.com/gpu, 3 have the taint dedicated=infra:NoSchedule, 1 fits; 4 are needed"
    assert nodes_in_words(result) == expected
    assert sentence(result, "prod") == f"1 of 4 pods gets a node of cluster `prod`: {expected}"


def test_nodes_that_suffice_are_only_counted() -> None:
    assert nodes_in_words(fit(pods(4), nodes(4))) == "4 nodes: 4 fit"
    roomy = nodes(2, {**GPU_NODE, "nvidia.com/gpu": "16"})
    assert nodes_in_words(fit(pods(3), roomy)) == "2 nodes: 2 fit with room for 4 pods"


def test_a_node_is_counted_at_every_requirement_that_it_does_not_meet() -> None:
    small = nodes(2, {"cpu": "2", "memory": "1Gi"}, taints=(Taint("a", "", "NoExecute"),))
    result = fit(pods(), small)
    assert result.first == {Obstacle("size", "nvidia.com/gpu", 8): 2}
    assert result.all == {
        Obstacle("size", "nvidia.com/gpu", 8): 2,
        Obstacle("size", "cpu", 4000): 2,
        Obstacle("size", "pods", 1): 2,
        Obstacle("taint", "a:NoExecute"): 2,
    }


@pytest.mark.parametrize(
    ("count", "least"),
    [(7, 7), (8, 8), (9, 8)],
)
def test_requests_are_limited_by_what_running_pods_leave(count: int, least: int) -> None:
    amounts = {"limits": {"nvidia.com/gpu": 1}}
    demand = pods(count, containers=[{"name": "main", "image": "i", "resources": amounts}])
    used = read_amounts({"nvidia.com/gpu": "4"})
    assert fit(demand, nodes(2, used=used)).least == least  # 2 nodes with 8 GPUs, 4 of them in use


@pytest.mark.parametrize(
    ("toleration", "tolerates"),
    [
        ({"key": "spot", "operator": "Exists"}, True),
        ({"operator": "Exists"}, True),
        ({"key": "spot", "value": "true"}, True),
        ({"key": "spot", "value": "true", "effect": "NoSchedule"}, True),
        ({"key": "spot", "value": "true", "effect": "NoExecute"}, False),
        ({"key": "spot", "value": "false"}, False),
        ({"key": "other", "operator": "Exists"}, False),
    ],
)
def test_a_toleration_covers_key_value_and_effect(toleration: dict[str, str], tolerates: bool) -> None:
    (node,) = nodes(1, taints=(Taint("spot", "true", "NoSchedule"),))
    assert kinds(pods(tolerations=[toleration]), node) == ([] if tolerates else ["taint"])


def test_a_taint_that_only_prefers_keeps_no_pod_away() -> None:
    (node,) = nodes(1, taints=(Taint("slow", "", "PreferNoSchedule"),))
    assert kinds(pods(), node) == []


def test_a_cordoned_node_takes_only_pods_that_tolerate_it() -> None:
    (node,) = nodes(1, unschedulable=True)
    tolerations = [{"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}]
    assert kinds(pods(), node) == ["cordon"]
    assert kinds(pods(tolerations=tolerations), node) == []


def affinity(*terms: list[dict[str, Any]]) -> dict[str, Any]:
    required = {"nodeSelectorTerms": [{"matchExpressions": term} for term in terms]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}


@pytest.mark.parametrize(
    ("expression", "matches"),
    [
        ({"key": "rank", "operator": "Gt", "values": ["4"]}, True),
        ({"key": "rank", "operator": "Gt", "values": ["5"]}, False),
        ({"key": "rank", "operator": "Lt", "values": ["6"]}, True),
        ({"key": "gpu", "operator": "Gt", "values": ["4"]}, False),
        ({"key": "gpu", "operator": "In", "values": ["H100", "A100"]}, True),
        ({"key": "gpu", "operator": "NotIn", "values": ["H100"]}, False),
        ({"key": "missing", "operator": "NotIn", "values": ["H100"]}, True),
        ({"key": "missing", "operator": "Exists"}, False),
        ({"key": "missing", "operator": "DoesNotExist"}, True),
    ],
)
def test_expressions_of_node_affinity(expression: dict[str, Any], matches: bool) -> None:
    (node,) = nodes(1, labels={"rank": "5", "gpu": "H100"})
    assert kinds(pods(affinity=affinity([expression])), node) == ([] if matches else ["affinity"])


def test_terms_are_alternatives_and_an_empty_one_matches_nothing() -> None:
    (node,) = nodes(1, labels={"a": "1"})
    a, b = ([{"key": key, "operator": "Exists"}] for key in "ab")
    assert kinds(pods(affinity=affinity(a, b)), node) == []
    assert kinds(pods(affinity=affinity([*a, *b])), node) == ["affinity"]
    assert kinds(pods(affinity=affinity([])), node) == ["affinity"]


def test_init_containers_count_by_their_peak_and_sidecars_always() -> None:
    containers = [{"name": "main", "image": "i", "resources": {"requests": {"cpu": "2"}}}]
    init = [
        {"name": "side", "image": "i", "restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}},
        {"name": "fetch", "image": "i", "resources": {"requests": {"cpu": "6500m"}}},
    ]
    (demand,) = pods(containers=containers, initContainers=init, overhead={"cpu": "250m"})
    assert demand.requests["cpu"] == 7750  # max(2 + 1, 1 + 6.5) + 0.25


def test_pods_with_a_host_port_need_a_node_each() -> None:
    ports = [{"containerPort": 29500, "hostPort": 29500}]
    demand = pods(3, containers=[{"name": "main", "image": "i", "ports": ports}])
    assert fit(demand, nodes(2)).least == 2


def spread(key: str, skew: int, **fields: Any) -> dict[str, Any]:
    selector = {"matchLabels": {"job": "mnist"}}
    rule = {"maxSkew": skew, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}
    return {**rule, **fields}


@pytest.mark.parametrize(("skew", "placed"), [(1, 3), (2, 4), (9, 5)])
def test_a_full_domain_limits_the_others_by_the_skew(skew: int, placed: int) -> None:
    racks = [*nodes(4, labels={RACK: "r1"}), *nodes(1, labels={RACK: "r2"}, shape="other")]
    result = fit(pods(5, topologySpreadConstraints=[spread(RACK, skew)]), racks)
    assert (result.least, result.most) == (placed, placed)  # r2 has room for 1, so r1 takes 1 + skew


def test_a_tainted_domain_counts_as_empty_unless_taints_are_honored() -> None:
    tainted = nodes(1, labels={RACK: "r2"}, shape="other", taints=(Taint("a", "", "NoSchedule"),))
    racks = [*nodes(4, labels={RACK: "r1"}), *tainted]
    assert fit(pods(4, topologySpreadConstraints=[spread(RACK, 1)]), racks).most == 1
    honored = spread(RACK, 1, nodeTaintsPolicy="Honor")
    assert fit(pods(4, topologySpreadConstraints=[honored]), racks).least == 4


def own_affinity(kind: str, key: str) -> dict[str, Any]:
    term = {"labelSelector": {"matchLabels": {"job": "mnist"}}, "topologyKey": key}
    return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def test_pods_that_must_share_a_rack_depend_on_where_the_first_one_is() -> None:
    racks = [*nodes(5, labels={RACK: "r1"}), *nodes(3, labels={RACK: "r2"}, shape="b"), *nodes(1, shape="c")]
    result = fit(pods(4, affinity=own_affinity("podAffinity", RACK)), racks)
    assert (result.least, result.most, result.verdict) == (3, 4, "depends")
    result = fit(pods(6, affinity=own_affinity("podAffinity", RACK)), racks)
    assert (result.least, result.most, result.verdict) == (3, 5, "lacks nodes")
    shown = f"8 fit, but all 6 pods must run in one {RACK}: r1 has room for 5, r2 for 3"
    assert nodes_in_words(result) == f"9 nodes: 1 lacks a label {RACK}, {shown}"


def test_a_rule_with_a_domain_for_all_pods_is_not_the_reason() -> None:
    """All pods fit zone `a`, but of its racks and that of `b`, which stays empty, each may have one pod more."""
    zone = "topology.kubernetes.io/zone"
    cluster = [
        *nodes(5, labels={zone: "a", RACK: "r1"}),
        *nodes(1, labels={zone: "a", RACK: "r2"}, shape="b"),
        *nodes(1, labels={zone: "b", RACK: "r3"}, shape="c"),
    ]
    rules = {"affinity": own_affinity("podAffinity", zone), "topologySpreadConstraints": [spread(RACK, 1)]}
    result = fit(pods(4, **rules), cluster)
    assert (result.least, result.most) == (1, 2)
    assert nodes_in_words(result) == "7 nodes: 7 fit, but topology rules leave 2 of them"


def test_pods_that_repel_each_other_need_a_domain_each() -> None:
    racks = [*nodes(5, labels={RACK: "r1"}), *nodes(3, labels={RACK: "r2"}, shape="b")]
    result = fit(pods(4, affinity=own_affinity("podAntiAffinity", RACK)), racks)
    assert (result.least, result.most) == (2, 2)


def test_a_gang_starts_whole_or_not_at_all() -> None:
    (demand,) = pods(4)
    assert fit([demand.replace(gang=4)], nodes(3)).most == 0
    assert fit([demand.replace(gang=3)], nodes(3)).least == 3


def test_different_pods_compete_for_the_same_nodes() -> None:
    (large,), (small,) = pods(1), pods(2, containers=[{"name": "m", "resources": {"limits": {"nvidia.com/gpu": 1}}}])
    first, second = fits([large, small], nodes(1))
    assert (first.least, second.most) == (1, 0)
