"""Changes of healthy objects beside a job, and the field that the API server rejects after each; empty if none.

`tests/cluster/test_api_verdicts.py` asks a real API server about every row, and a unit test asks `trainc check`.
"""

from __future__ import annotations

import copy
from typing import Any

from tests.support.api_verdicts import Object

SERVICE: Object = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "beside"},
    "spec": {"selector": {"app": "train"}, "ports": [{"name": "http", "port": 80, "targetPort": "http"}]},
}
_CPU = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 60}}}
AUTOSCALER: Object = {
    "apiVersion": "autoscaling/v2",
    "kind": "HorizontalPodAutoscaler",
    "metadata": {"name": "beside"},
    "spec": {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "train"},
        "minReplicas": 1,
        "maxReplicas": 4,
        "metrics": [_CPU],
    },
}
CLAIM: Object = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "beside"},
    "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}},
}


def _target(**target: Any) -> list[Object]:
    return [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]


def _policy(**policy: Any) -> Object:
    own = {"type": "Pods", "value": 1, "periodSeconds": 60}
    return {"scaleDown": {"policies": [{**own, **policy}]}}


_SPECS: list[tuple[Object, Object, str]] = [
    (SERVICE, {}, ""),
    (SERVICE, {"clusterIP": "None", "ports": []}, ""),
    (SERVICE, {"ports": []}, "ports"),
    (SERVICE, {"clusterIp": "None"}, "clusterIp"),
    (SERVICE, {"clusterIP": "none"}, "clusterIP"),
    (SERVICE, {"clusterIP": "None", "type": "NodePort"}, "clusterIP"),
    (SERVICE, {"type": "Headless"}, "type"),
    (SERVICE, {"type": "ExternalName"}, "externalName"),
    (SERVICE, {"selector": {"app": "a b"}}, "selector.app"),
    (SERVICE, {"externalTrafficPolicy": "Local"}, "externalTrafficPolicy"),
    (SERVICE, {"ports": [{"port": 0}]}, "ports.0.port"),
    (SERVICE, {"ports": [{"port": 70000}]}, "ports.0.port"),
    (SERVICE, {"ports": [{"port": "80"}]}, "ports.0.port"),
    (SERVICE, {"ports": [{"port": 80}, {"port": 81, "name": "a"}]}, "ports.0.name"),
    (SERVICE, {"ports": [{"port": 80, "name": "a"}, {"port": 81, "name": "a"}]}, "ports.1.name"),
    (SERVICE, {"ports": [{"port": 80, "name": "a"}, {"port": 80, "name": "b"}]}, "ports.1"),
    (SERVICE, {"ports": [{"port": 80, "name": "a"}, {"port": 80, "name": "b", "protocol": "UDP"}]}, ""),
    (SERVICE, {"ports": [{"port": 80, "name": "A"}]}, "ports.0.name"),
    (SERVICE, {"ports": [{"port": 80, "targetPort": "a_b"}]}, "ports.0.targetPort"),
    (SERVICE, {"ports": [{"port": 80, "targetPort": 70000}]}, "ports.0.targetPort"),
    (SERVICE, {"ports": [{"port": 80, "nodePort": 30000}]}, "ports.0.nodePort"),
    (AUTOSCALER, {}, ""),
    (AUTOSCALER, {"maxReplica": 4}, "maxReplica"),
    (AUTOSCALER, {"maxReplicas": 0}, "maxReplicas"),
    (AUTOSCALER, {"minReplicas": 5}, "maxReplicas"),
    (AUTOSCALER, {"minReplicas": -1}, "minReplicas"),
    (AUTOSCALER, {"scaleTargetRef": {"kind": "StatefulSet", "name": ""}}, "scaleTargetRef.name"),
    (AUTOSCALER, {"metrics": [{"type": "Resource"}]}, "metrics.0.resource"),
    (AUTOSCALER, {"metrics": [{"type": "Cpu"}]}, "metrics.0.type"),
    (AUTOSCALER, {"metrics": _target(type="Utilization")}, "metrics.0.resource.target"),
    (
        AUTOSCALER,
        {"metrics": _target(type="Utilization", averageUtilization=0)},
        "metrics.0.resource.target.averageUtilization",
    ),
    (AUTOSCALER, {"metrics": _target(type="AverageValue", averageValue="0")}, "metrics.0.resource.target.averageValue"),
    (AUTOSCALER, {"metrics": _target(type="Value", value="1")}, "metrics.0.resource.target"),
    (
        AUTOSCALER,
        {"metrics": _target(type="Utilization", averageUtilization=1, averageValue="1")},
        "metrics.0.resource.target.averageValue",
    ),
    (AUTOSCALER, {"behavior": _policy()}, ""),
    (AUTOSCALER, {"behavior": _policy(value=0)}, "behavior.scaleDown.policies.0.value"),
    (AUTOSCALER, {"behavior": _policy(periodSeconds=3600)}, "behavior.scaleDown.policies.0.periodSeconds"),
    (AUTOSCALER, {"behavior": _policy(type="Pod")}, "behavior.scaleDown.policies.0.type"),
    (
        AUTOSCALER,
        {"behavior": {"scaleUp": {"stabilizationWindowSeconds": 7200}}},
        "behavior.scaleUp.stabilizationWindowSeconds",
    ),
    (CLAIM, {}, ""),
    (CLAIM, {"accessModes": []}, "accessModes"),
    (CLAIM, {"accessModes": ["ReadWriteAll"]}, "accessModes.0"),
    (CLAIM, {"resources": {}}, "resources"),
    (CLAIM, {"resources": {"requests": {"storage": "0"}}}, "resources.requests.storage"),
]


def _changed(base: Object, spec: Object) -> Object:
    manifest = copy.deepcopy(base)
    manifest["spec"] |= copy.deepcopy(spec)
    return manifest


ROWS = [(_changed(base, spec), f"spec.{field}" if field else "") for base, spec, field in _SPECS]
