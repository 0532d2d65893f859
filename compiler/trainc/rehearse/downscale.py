"""Downscale a job to fit one machine: fewer processes per pod, fewer pods.

All sizes in the manifests change together, so that they still describe one world.
"""

from __future__ import annotations

import re
from typing import Any

from trainc.plan.fields import Object, items, mapping, text
from trainc.rehearse.container_size import ContainerSize
from trainc.rehearse.controllers import controller_class
from trainc.well_known import ADDED

_SLOTS = re.compile(r"( slots=|:)(\d+)$")
# Arguments with the world size or a rank, in the annotation about the command line.
_ARGUMENTS = re.compile(r"(?:^|; )([^;]+) \(launch\.\w+\.arguments\)")


def downscale(objects: list[Object], processes: int | None, max_pods: int | None) -> list[Object]:
    """Return the manifests with a number of processes per pod and at most `max_pods` pods; None keeps the original."""
    if processes is None and max_pods is None:
        return objects
    size = ContainerSize(processes=processes, max_pods=max_pods, hosts=_hosts(objects))
    pods = [manifest for manifest in objects if text(manifest, "kind") == "Pod"]
    removed = [] if max_pods is None else pods[max_pods:]
    return [_resize(manifest, size) for manifest in objects if manifest not in removed]


def _hosts(objects: list[Object]) -> tuple[int, int]:
    """Return the hosts of the job's hostfile and the slots of each; zeros without one."""
    text_of_file = next((hosts for each in objects if (hosts := text(each, "data", "hostfile"))), "")
    lines = text_of_file.splitlines()
    slots = _SLOTS.search(lines[0]) if lines else None
    return (len(lines), int(slots[2])) if slots else (0, 0)


def _resize(manifest: Object, size: ContainerSize) -> Object:
    kind, resized = text(manifest, "kind"), dict(manifest)
    if kind == "ConfigMap" and "hostfile" in mapping(manifest, "data"):
        lines = manifest["data"]["hostfile"].splitlines()[: size.max_pods]
        if size.processes is not None:
            lines = [_SLOTS.sub(rf"\g<1>{size.processes}", line) for line in lines]
        resized["data"] = {**manifest["data"], "hostfile": "\n".join(lines) + "\n"}
    elif isinstance(manifest.get("spec"), dict):
        arguments = _ARGUMENTS.search(text(manifest, "metadata", "annotations", ADDED))
        size = size.replace(arguments=tuple(arguments[1].split(", ")) if arguments else ())
        spec = resized["spec"] = _resize_containers(manifest["spec"], size)
        if kind == "HorizontalPodAutoscaler":
            size.limit_fields(spec, "minReplicas", "maxReplicas")
        controller = controller_class(manifest)
        if controller is not None:
            controller.downscale(spec, size)
    return resized


def _resize_containers(value: Any, size: ContainerSize) -> Any:
    if isinstance(value, list):
        return [_resize_containers(inner, size) for inner in value]
    if not isinstance(value, dict):
        return value
    copy = {key: _resize_containers(inner, size) for key, inner in value.items()}
    if "containers" in copy:
        copy["containers"] = [size.resize(container) for container in items(copy, "containers")]
    return copy
