"""StatefulSets as the field writes them become jobs with fields in place of their own addresses."""

from __future__ import annotations

from tests.support.native_objects import HEADLESS, STATIC, imported, stateful_set


def test_the_ordinal_in_the_host_name_is_the_rank() -> None:
    line = f"torchrun --nnodes=2 --node_rank=${{HOSTNAME##*-}} --master_addr=s-0.net {STATIC}"
    spec = imported(HEADLESS, stateful_set(["sh", "-c", line]))
    assert spec["launch"] == {"torchrun": {"rendezvous": {"backend": "static", "port": 29500}}}
    assert spec["workers"] == 2


def test_an_autoscaler_has_the_bounds_and_metrics() -> None:
    metric = {"type": "External", "external": {"metric": {"name": "m"}, "target": {"type": "Value", "value": "1"}}}
    target = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "s"}
    scaler = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "s"},
        "spec": {"scaleTargetRef": target, "minReplicas": 2, "maxReplicas": 4, "metrics": [metric]},
    }
    command = ["torchrun", "--nnodes=2:4", "--rdzv-backend=c10d", "--rdzv-endpoint=s-0.net:29400", "train.py"]
    spec = imported(HEADLESS, stateful_set(command), scaler)
    assert spec["elastic"] == {"minReplicas": 2, "maxReplicas": 4, "metrics": [metric]}


def test_claims_of_each_pod_become_ephemeral_volumes() -> None:
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    templates = [{"metadata": {"name": "data"}, "spec": claim}]
    document = stateful_set(["torchrun", "--nnodes=2", "train.py"], volumeClaimTemplates=templates)
    document["spec"]["template"]["spec"]["containers"][0]["volumeMounts"] = [{"name": "data", "mountPath": "/data"}]
    assert imported(document)["volumes"] == [
        {"name": "data", "mountPath": "/data", "ephemeral": {"volumeClaimTemplate": {"spec": claim}}}
    ]
