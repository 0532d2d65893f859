"""Downscale a job to fit one machine: fewer processes per pod, fewer pods.

All sizes in the manifests change together, so that they still describe one world.
"""

from __future__ import annotations

import re
from typing import Any

from trainc.plan.fields import Object, items, mapping, text
from trainc.record import Record
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
    size = _Size(container=ContainerSize(processes=processes, max_pods=max_pods))
    pods = [manifest for manifest in objects if text(manifest, "kind") == "Pod"]
    removed = [] if max_pods is None else pods[max_pods:]
    return [size.resize(manifest) for manifest in objects if manifest not in removed]


class _Size(Record):
    container: ContainerSize

    def resize(self, manifest: Object) -> Object:
        kind, resized = text(manifest, "kind"), dict(manifest)
        if kind == "ConfigMap" and "hostfile" in mapping(manifest, "data"):
            resized["data"] = {**manifest["data"], "hostfile": self._hostfile(manifest["data"]["hostfile"])}
        elif isinstance(manifest.get("spec"), dict):
            spec = resized["spec"] = self._resize_containers(manifest["spec"])
            if kind == "HorizontalPodAutoscaler":
                self.container.limit_fields(spec, "minReplicas", "maxReplicas")
            controller = controller_class(manifest)
            if controller is not None:
                controller.downscale(spec, self.container)
        return resized

    def _hostfile(self, hostfile: str) -> str:
        lines = hostfile.splitlines()[: self.container.max_pods]
        if self.container.processes is not None:
            lines = [_SLOTS.sub(f"slots={self.container.processes}", line) for line in lines]
        return "\n".join(lines) + "\n"

    def _resize_containers(self, value: Any) -> Any:
        """Return a copy of the value with all containers in it resized."""
        if isinstance(value, list):
            return [self._resize_containers(inner) for inner in value]
        if not isinstance(value, dict):
            return value
        copy = {key: self._resize_containers(inner) for key, inner in value.items()}
        if "containers" in copy:
            copy["containers"] = [self.container.resize(container) for container in items(copy, "containers")]
        return copy
