"""References to the training container by the name that an operator requires."""

from __future__ import annotations

from typing import Any

from trainc.well_known import MAIN


def rename_container_refs(value: Any, container: str) -> Any:
    """Return variables or volumes whose `resourceFieldRef` names the training container as the operator does.

    An unknown name keeps the container from starting:
    https://kubernetes.io/docs/concepts/workloads/pods/downward-api/#downwardapi-resourceFieldRef
    """
    if isinstance(value, list):
        return [rename_container_refs(item, container) for item in value]
    if not isinstance(value, dict):
        return value
    renamed = {name: rename_container_refs(inner, container) for name, inner in value.items()}
    reference = renamed.get("resourceFieldRef")
    if isinstance(reference, dict) and reference.get("containerName") == MAIN:
        renamed["resourceFieldRef"] = {**reference, "containerName": container}
    return renamed
