"""Volumes that only some nodes can use; numbers are worked out by hand. tests/cluster compares with kube-scheduler."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.placement.test_fit import GPU_NODE, nodes, own_affinity
from trainc.cluster.entry import Entry
from trainc.cluster.judgement import job_demands
from trainc.placement.fit import Fit, fits
from trainc.placement.node import Node
from trainc.placement.words import nodes as nodes_in_words
from trainc.placement.words import sentence

ZONE = "topology.kubernetes.io/zone"
DELAYED = "WaitForFirstConsumer"
ZONAL = {"name": "disk", "volumeBindingMode": DELAYED, "topologyKey": ZONE}
# Four nodes in zone a, two in b, one in no zone.
CLUSTER = [*nodes(4, labels={ZONE: "a"}), *nodes(2, labels={ZONE: "b"}, shape="b"), *nodes(1, shape="c")]


def claim(storage_class: str) -> dict[str, Any]:
    return {"storageClassName": storage_class, "accessModes": ["ReadWriteMany"]}


def fit(count: int, volume: dict[str, Any], entry: dict[str, Any], cluster: list[Node] = CLUSTER, **spec: Any) -> Fit:
    """Return the placement of pods with 8 GPUs and a volume; the claim `data` is created with them."""
    containers = [{"name": "main", "image": "i", "resources": {"limits": {"nvidia.com/gpu": 8}}}]
    spec = {"containers": containers, "volumes": [{"name": "v", **volume}], **spec}
    metadata = {"namespace": "n", "labels": {"job": "mnist"}}
    created = {"kind": "PersistentVolumeClaim", "metadata": {"name": "data", "namespace": "n"}, "spec": claim("disk")}
    pods = [{"kind": "Pod", "metadata": {"name": f"p-{n}", **metadata}, "spec": spec} for n in range(count)]
    group = {"kind": "PodGroup", "metadata": {"name": "g", "namespace": "n"}}
    gang = [{**group, "spec": {"schedulingPolicy": {"gang": {"minCount": count}}}}] if "schedulingGroup" in spec else []
    (placed,) = fits(job_demands([created, *pods, *gang], Entry(name="e", file="e", spec=entry)), cluster)
    return placed


DATA = {"persistentVolumeClaim": {"claimName": "data"}}


def test_an_existing_claim_is_usable_where_its_volume_is() -> None:
    terms = [{"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["b"]}]}]
    entry = {"claims": [{"name": "old", "namespace": "n", "nodeSelectorTerms": terms}]}
    placed = fit(4, {"persistentVolumeClaim": {"claimName": "old"}}, entry)
    expected = f"7 nodes: 5 can't use the volume of claim `old` ({ZONE}=b), 2 fit; 4 are needed"
    assert nodes_in_words(placed) == expected
    elsewhere = {"claims": [{"name": "old", "namespace": "other", "nodeSelectorTerms": terms}]}
    assert fit(4, {"persistentVolumeClaim": {"claimName": "old"}}, elsewhere).least == 4


@pytest.mark.parametrize(("count", "least", "most"), [(2, 2, 2), (4, 2, 4), (6, 2, 4)])
def test_the_first_pod_chooses_the_zone_of_a_shared_volume(count: int, least: int, most: int) -> None:
    placed = fit(count, DATA, {"storageClasses": [ZONAL]})
    assert (placed.least, placed.most) == (least, most)


def test_the_sentence_names_the_volume_that_limits_the_pods() -> None:
    expected = f"but the volume of claim `data` is in one {ZONE}: a has room for 4, b for 2"
    assert expected in sentence(fit(6, DATA, {"storageClasses": [ZONAL]}), "e")


def test_a_volume_that_exists_before_its_pods_may_be_in_a_zone_without_room() -> None:
    entry = {"storageClasses": [{"name": "disk", "topologyKey": ZONE}]}  # Immediate by default
    full = [*CLUSTER, *nodes(1, {"cpu": "4"}, labels={ZONE: "z"}, shape="z")]
    assert (fit(2, DATA, entry).least, fit(2, DATA, entry).most) == (2, 2)
    assert (fit(2, DATA, entry, full).least, fit(2, DATA, entry, full).most) == (0, 2)


def test_allowed_topologies_limit_the_nodes() -> None:
    allowed = [{"matchLabelExpressions": [{"key": ZONE, "values": ["b", "q"]}]}]
    placed = fit(4, DATA, {"storageClasses": [{**ZONAL, "allowedTopologies": allowed}]})
    assert (placed.least, placed.most, placed.fitting) == (2, 2, 2)


def test_the_default_class_is_that_of_a_claim_without_one() -> None:
    template = {"ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"]}}}}
    allowed = [{"matchLabelExpressions": [{"key": ZONE, "values": ["b"]}]}]
    entry = {"storageClasses": [{**ZONAL, "default": True, "allowedTopologies": allowed}]}
    assert fit(4, template, entry).most == 2


def test_volumes_of_each_pod_may_be_in_different_zones() -> None:
    template = {"ephemeral": {"volumeClaimTemplate": {"spec": claim("disk")}}}
    assert fit(6, template, {"storageClasses": [ZONAL]}).least == 6
    early = fit(6, template, {"storageClasses": [{"name": "disk", "topologyKey": ZONE}]})
    assert (early.least, early.most) == (2, 6)  # at worst all are in b
    together = fit(2, template, {"storageClasses": [{"name": "disk", "topologyKey": ZONE}]}, affinity=SAME_ZONE)
    assert (together.least, together.most) == (1, 2)  # at worst one is in a, and one in b


SAME_ZONE = own_affinity("podAffinity", ZONE)


def test_a_class_of_a_network_and_an_unknown_one_limit_nothing() -> None:
    for classes in ([{"name": "disk", "volumeBindingMode": DELAYED}], []):
        assert fit(7, DATA, {"storageClasses": classes}).least == 7


def test_a_gang_with_a_volume_for_its_first_pod_needs_one_node() -> None:
    """kube-scheduler reserves the volume for the first pod's node in the cycle that finds nodes for all."""
    entry = {"storageClasses": [{"name": "disk", "volumeBindingMode": DELAYED}]}
    named = [node.replace(labels={**node.labels, "kubernetes.io/hostname": node.name}) for node in CLUSTER]
    placed = fit(2, DATA, entry, named, schedulingGroup={"podGroupName": "g"})
    assert placed.most == 0
    assert "must run on one node: none has room for more than 1" in sentence(placed, "e")
    wide = nodes(1, {**GPU_NODE, "nvidia.com/gpu": "16"}, labels={"kubernetes.io/hostname": "wide"})
    assert fit(2, DATA, entry, wide, schedulingGroup={"podGroupName": "g"}).least == 2
