"""`trainc cluster read`: shapes of nodes, and nothing of secrets or people."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.command import trainc
from trainc.cluster.entry import Entry
from trainc.cluster.load import read_entry
from trainc.cluster.read import entry_document
from trainc.emit.block import document
from trainc.span import Source

SECRETS = ("alice", "hunter2", "bob", "10.1.2.3", "s3cr3t", "ghp_", "carol", "example", "registry")


def node(name: str, **changes: Any) -> dict[str, Any]:
    labels = {"kubernetes.io/hostname": name, "owner": "alice", "topology.kubernetes.io/zone": "eu-1a"}
    metadata = {
        "name": f"{name}.alice.example",
        "labels": labels | changes.pop("labels", {}),
        "annotations": {"contact": "alice@example.com", "token": "ghp_" + "a" * 36},
        "managedFields": [{"manager": "alice"}],
    }
    allocatable = {"cpu": "94", "memory": "1000Gi", "nvidia.com/gpu": "8", "pods": "110", "hugepages-2Mi": "0"}
    status = {
        "allocatable": allocatable | changes.pop("allocatable", {}),
        "addresses": [{"type": "InternalIP", "address": "10.1.2.3"}],
        "images": [{"names": ["registry.example/alice/secret:1"]}],
        "nodeInfo": {"kubeletVersion": "v1.33.4-gke.1", "machineID": "s3cr3t"},
    }
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": changes, "status": status}


def pod(node_name: str, phase: str = "Running") -> dict[str, Any]:
    requests = {"cpu": "1500m", "memory": "3Gi", "nvidia.com/gpu": "1"}
    env = [{"name": "PASSWORD", "value": "hunter2"}]
    container = {"name": "bob", "image": "registry.example/bob", "env": env, "resources": {"requests": requests}}
    spec = {"nodeName": f"{node_name}.alice.example", "containers": [container], "serviceAccountName": "bob"}
    metadata = {"name": "bobs-notebook", "namespace": "bob"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": {"phase": phase}}


def read(*objects: dict[str, Any], labels: tuple[str, ...] = ()) -> Entry:
    """Return the entry of the text that the command writes."""
    return read_entry(Source("cluster.yaml", document(entry_document("prod", list(objects), labels))))


def test_equal_nodes_are_a_shape_with_the_numbers_of_nodes_in_each_rack() -> None:
    racks = [node(f"n{number}", labels={"example.net/rack": f"r{number % 2}"}) for number in range(5)]
    entry = read(*racks, node("other", allocatable={"nvidia.com/gpu": "4"}))
    shapes = {each["name"]: each for each in entry.spec["nodes"]}
    assert shapes["gpu-1"]["count"] == 5
    assert shapes["gpu-1"]["racks"] == {"label": "example.net/rack", "nodes": {"r0": 3, "r1": 2}}
    assert shapes["gpu-1"]["labels"] == {"topology.kubernetes.io/zone": "eu-1a"}
    assert shapes["gpu-2"]["allocatable"] == {"nvidia.com/gpu": "4", "cpu": "94", "memory": "1000Gi", "pods": "110"}
    assert entry.kubernetes == "1.33"
    assert [each.labels.get("example.net/rack") for each in entry.nodes()] == ["r0"] * 3 + ["r1"] * 2 + [None]


def test_running_pods_are_use_and_finished_ones_are_not() -> None:
    objects = [node("a"), pod("a"), pod("a"), pod("a", "Succeeded"), pod("elsewhere")]
    (shape,) = entry_document("prod", objects, counts_all_pods=True)["spec"]["nodes"]
    assert shape["used"] == {"cpu": "3", "memory": "6Gi", "nvidia.com/gpu": "2", "pods": "2"}


def test_without_option_only_daemon_sets_are_use() -> None:
    daemon = pod("a")
    daemon["metadata"]["ownerReferences"] = [{"kind": "DaemonSet", "name": "exporter"}]
    (shape,) = read(node("a"), pod("a"), daemon).spec["nodes"]
    assert shape["used"] == {"cpu": "1500m", "memory": "3Gi", "nvidia.com/gpu": "1", "pods": "1"}


def test_neither_secrets_nor_people_are_in_the_entry() -> None:
    labels = {"owner": "carol", "pod-security.kubernetes.io/enforce": "baseline"}
    namespace = {"kind": "Namespace", "metadata": {"name": "training", "labels": labels}}
    storage = {"kind": "StorageClass", "metadata": {"name": "fast"}, "parameters": {"key": "s3cr3t"}}
    secret = {"kind": "Secret", "metadata": {"name": "s3cr3t"}, "data": {"password": "hunter2"}}
    items = [{"apiVersion": "v1", **each} for each in (node("a"), pod("a"), namespace, storage, secret)]
    objects = {"apiVersion": "v1", "kind": "List", "items": items}
    done = trainc("cluster", "read", "--name", "prod", stdin=json.dumps(objects))
    assert done.code == 0, done.err
    assert "fast" in done.out
    assert not [word for word in SECRETS if word in done.out]


def test_a_label_is_kept_on_request() -> None:
    (shape,) = read(node("a", labels={"team": "vision"}), labels=("team",)).spec["nodes"]
    assert shape["labels"]["team"] == "vision"


def test_kueue_quotas_have_what_may_be_borrowed() -> None:
    limits = [
        {"name": "cpu", "nominalQuota": 100, "borrowingLimit": 20},
        {"name": "memory", "nominalQuota": "10Gi"},
        {"name": "nvidia.com/gpu", "nominalQuota": "16", "borrowingLimit": "8"},
    ]
    groups = [{"flavors": [{"name": "a", "resources": limits}, {"name": "b", "resources": limits[2:]}]}]
    cluster = {"kind": "ClusterQueue", "metadata": {"name": "all"}, "spec": {"cohort": "c", "resourceGroups": groups}}
    local = {"kind": "LocalQueue", "metadata": {"name": "q", "namespace": "t"}, "spec": {"clusterQueue": "all"}}
    (queue,) = read(cluster, local).spec["queues"]  # memory may be borrowed without a limit
    assert queue == {"name": "q", "namespace": "t", "quota": {"cpu": "120", "nvidia.com/gpu": "48"}}


INJECTION = "a\n  b: 1\n---\nkind: Evil"


@pytest.mark.parametrize(
    "resource",
    [
        {"kind": "Node", "metadata": 5, "spec": {"taints": 7}, "status": {"allocatable": [1]}},
        {"kind": "Node", "metadata": {"labels": ["a"]}, "spec": 3, "status": None},
        {"kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": {INJECTION: "1", "cpu": "1"}}},
        {"kind": "Node", "metadata": {"labels": {"node.kubernetes.io/x": INJECTION}}, "status": {"allocatable": {}}},
        {"kind": "Pod", "spec": {"nodeName": "n", "containers": [{"resources": {"requests": {"cpu": "junk"}}}]}},
        {"kind": "Pod", "spec": {"nodeName": "n", "containers": 4}},
        {"kind": "Node", "status": {"allocatable": {"cpu": "junk", "memory": "-1", "pods": {}}}},
        {"kind": "Node", "spec": {"taints": [{"key": "a", "effect": "Odd"}, {"effect": "NoSchedule"}]}},
        {"kind": "ResourceQuota", "metadata": {"namespace": "n"}, "status": {"hard": {"pods": "junk", "cpu": "1"}}},
        {"kind": "ResourceQuota", "metadata": {"namespace": INJECTION}, "status": {"hard": {"pods": "3"}}},
        {"kind": "ResourceQuota", "metadata": {"namespace": "n"}, "status": {"hard": 3}},
        {"kind": "ClusterQueue", "spec": {"resourceGroups": [{"flavors": [{"resources": [{"name": "x"}]}]}]}},
        {"kind": "CustomResourceDefinition", "spec": {"group": INJECTION, "names": {"kind": "K"}, "versions": 5}},
        {"kind": "PriorityClass", "metadata": {"name": INJECTION}},
        {"kind": "StorageClass", "metadata": {"name": {"a": 1}}},
        {"kind": "StorageClass", "allowedTopologies": [{"matchLabelExpressions": [{"key": INJECTION, "values": 3}]}]},
        {"kind": "PersistentVolume", "spec": {"nodeAffinity": {"required": {"nodeSelectorTerms": [5, {}]}}}},
        {"kind": "PersistentVolume", "spec": {"nodeAffinity": []}},
        {"kind": "PersistentVolumeClaim", "metadata": {"name": INJECTION}, "spec": {"volumeName": "x"}},
    ],
    ids=lambda resource: f"{resource['kind']}-{len(str(resource))}",
)
def test_no_object_breaks_the_command_or_the_structure_of_the_entry(resource: dict[str, Any]) -> None:
    objects = {
        "apiVersion": "v1",
        "kind": "List",
        "items": [{"apiVersion": "v1", "metadata": {"name": "x"}, **resource}],
    }
    done = trainc("cluster", "read", stdin=json.dumps(objects))
    assert "Traceback" not in done.err
    assert "TC9001" not in done.err
    assert "\nkind: Evil" not in done.out
    if done.code == 0:
        assert done.out.startswith("apiVersion: trainc.dev/v1alpha1\nkind: Cluster\n")
        read_entry(Source("cluster.yaml", done.out)).nodes()


def test_without_volumes_nothing_is_known_of_claims() -> None:
    assert "claims" not in read(node("a")).spec
    assert read(node("a"), volume("e", "nfs")).spec["claims"] == []


ZONE = "topology.ebs.csi.aws.com/zone"


def volume(name: str, storage_class: str, *zones: str, key: str = ZONE) -> dict[str, Any]:
    terms = [{"matchExpressions": [{"key": key, "operator": "In", "values": list(zones)}]}]
    affinity = {"nodeAffinity": {"required": {"nodeSelectorTerms": terms}}} if zones else {}
    csi = {"driver": "ebs.csi.aws.com", "volumeHandle": "s3cr3t"}
    spec = {"storageClassName": storage_class, "csi": csi, **affinity}
    return {"kind": "PersistentVolume", "metadata": {"name": name}, "spec": spec}


def claim(name: str, volume_name: str) -> dict[str, Any]:
    return {
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "t"},
        "spec": {"volumeName": volume_name},
    }


def test_volumes_show_which_nodes_can_use_those_of_a_class_and_of_a_claim() -> None:
    allowed = [{"matchLabelExpressions": [{"key": "example.net/hall", "values": ["h1"]}]}]
    delayed = {"kind": "StorageClass", "metadata": {"name": "gp3"}, "volumeBindingMode": "WaitForFirstConsumer"}
    immediate = {"kind": "StorageClass", "metadata": {"name": "hall"}, "volumeBindingMode": "Immediate"}
    volumes = [volume("a", "gp3", "eu-1a"), volume("b", "gp3", "eu-1b"), volume("c", "hall", "eu-1a", "eu-1b")]
    local = volume("d", "local", "n1.alice.example", key="kubernetes.io/hostname")
    claims = [claim("data", "a"), claim("both", "c"), claim("scratch", "d"), claim("everywhere", "e"), claim("new", "")]
    nodes = node("n1", labels={ZONE: "eu-1a", "example.net/hall": "h1"})
    entry = read(
        nodes, delayed, {**immediate, "allowedTopologies": allowed}, *volumes, local, volume("e", "nfs"), *claims
    )
    assert entry.spec["storageClasses"] == [
        {"name": "gp3", "volumeBindingMode": "WaitForFirstConsumer", "topologyKey": ZONE},
        {"name": "hall", "allowedTopologies": allowed},
    ]
    assert {each["name"]: each["namespace"] for each in entry.spec["claims"]} == {"data": "t", "both": "t"}
    (shape,) = entry.spec["nodes"]
    assert shape["labels"] == {"example.net/hall": "h1", "topology.kubernetes.io/zone": "eu-1a", ZONE: "eu-1a"}
    assert "alice" not in str(entry.spec)


def test_the_line_of_kubectl_asks_for_queues_on_request() -> None:
    line = "kubectl get nodes,pods,namespaces,resourcequotas,priorityclasses,storageclasses,customresourcedefinitions"
    assert trainc("cluster", "command").out == f"{line} --all-namespaces --output json\n"
    assert "localqueues.kueue.x-k8s.io" in trainc("cluster", "command", "--kueue").out
    assert ",persistentvolumes,persistentvolumeclaims " in trainc("cluster", "command", "--volumes").out
    assert trainc("cluster", "read", "--volumes", stdin="{}").code == 2


@pytest.mark.parametrize(
    "arguments", [(), ("show",), ("command", "file"), ("read", "--kueue"), ("read", "missing.json")]
)
def test_wrong_usage(arguments: tuple[str, ...]) -> None:
    done = trainc("cluster", *arguments)
    assert done.code != 0
    assert "Traceback" not in done.err
