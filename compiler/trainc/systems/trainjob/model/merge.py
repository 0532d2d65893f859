"""Merge of pod templates as Kubeflow Trainer merges them: plain values, lists by the merge keys of Kubernetes.

https://github.com/kubeflow/trainer/tree/v2.3.0: mergeRuntimePatches of pkg/runtime/core/trainingruntime.go; upsert of
pkg/apply/apply.go
"""

from __future__ import annotations

from typing import Any

from trainc.plan.fields import Object, at

# Lists of a JobSet's pods that are merged, with the field that identifies an item; others are replaced.
_KEYS = {
    "replicatedJobs": "name",
    "containers": "name",
    "initContainers": "name",
    "volumes": "name",
    "env": "name",
    "imagePullSecrets": "name",
    "schedulingGates": "name",
    "volumeMounts": "mountPath",
}


def merge(base: Any, patch: Any, field: str = "") -> Any:
    """Return a value with a strategic merge patch applied."""
    if isinstance(base, dict) and isinstance(patch, dict):
        merged = dict(base)
        for name, value in patch.items():
            merged[name] = merge(base[name], value, name) if name in base else value
        return merged
    key = _KEYS.get(field)
    if key is None or not isinstance(base, list) or not isinstance(patch, list):
        return patch
    items = list(base)
    for item in patch:
        place = next((at_ for at_, other in enumerate(items) if at(other, key) == at(item, key)), None)
        if place is None:
            items.append(item)
        elif field == "volumes":  # retainKeys: a volume has one source
            items[place] = item
        else:
            items[place] = merge(items[place], item)
    return items


def upsert(items: list[Object], new: list[Object], *keys: str) -> list[Object]:
    """Return a list in which each new item replaces the first one with the same value of a key, or comes last.

    A missing value equals a missing one.
    """
    result = list(items)
    for item in new:
        place = next((at_ for at_, other in enumerate(result) if any(at(other, k) == at(item, k) for k in keys)), None)
        if place is None:
            result.append(item)
        else:
            result[place] = item
    return result
