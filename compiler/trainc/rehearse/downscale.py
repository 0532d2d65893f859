"""Downscale a job to fit one machine: fewer processes per pod, fewer pods.

All sizes in the manifests change together, so that they still describe one world.
"""

from __future__ import annotations

import re
from typing import Any

from trainc.plan.fields import Object, items, mapping, text
from trainc.rehearse.controllers import controller_class
from trainc.rehearse.downscale_container import ContainerSize

_NAMESPACE = "default"
_SLOTS = re.compile(r"slots=\d+")


def with_namespace(manifest: Object) -> Object:
    """Return the object with a namespace: the default one of `kubectl apply` if it has none."""
    if text(manifest, "metadata", "namespace"):
        return manifest
    return {**manifest, "metadata": {**mapping(manifest, "metadata"), "namespace": _NAMESPACE}}


def downscale(objects: list[Object], processes: int | None, max_pods: int | None) -> list[Object]:
    """Return the manifests with a number of processes per pod and at most `max_pods` pods; None keeps the original."""
    if processes is None and max_pods is None:
        return objects
    size = ContainerSize(processes=processes, max_pods=max_pods)
    pods = [manifest for manifest in objects if text(manifest, "kind") == "Pod"]
    removed = [] if max_pods is None else pods[max_pods:]
    return [_resize(manifest, size) for manifest in objects if manifest not in removed]


def _resize(manifest: Object, size: ContainerSize) -> Object:
    kind, resized = text(manifest, "kind"), dict(manifest)
    if kind == "ConfigMap" and "hostfile" in mapping(manifest, "data"):
        lines = manifest["data"]["hostfile"].splitlines()[: size.max_pods]
        if size.processes is not None:
            lines = [_SLOTS.sub(f"slots={size.processes}", line) for line in lines]
        resized["data"] = {**manifest["data"], "hostfile": "\n".join(lines) + "\n"}
    elif isinstance(manifest.get("spec"), dict):
        spec = resized["spec"] = _resize_containers(manifest["spec"], size)
        if kind == "HorizontalPodAutoscaler":
            size.limit_fields(spec, "minReplicas", "maxReplicas")
        controller = controller_class(manifest)
        if controller is not None:
            controller.downscale(spec, size)
    return resized


def _resize_containers(value: Any, size: ContainerSize) -> Any:
    """Return a copy of the value with all containers in it resized."""
    if isinstance(value, list):
        return [_resize_containers(inner, size) for inner in value]
    if not isinstance(value, dict):
        return value
    copy = {key: _resize_containers(inner, size) for key, inner in value.items()}
    if "containers" in copy:
        copy["containers"] = [size.resize(container) for container in items(copy, "containers")]
    return copy
