"""The training container under the name that an operator demands."""

from __future__ import annotations

from typing import Any

from trainc.well_known import MAIN


def measured(value: Any, container: str) -> Any:
    """Variables or volumes in which `resourceFieldRef` asks for the training container's resources by its name here.

    A name that there is not keeps the container from starting:
    https://kubernetes.io/docs/concepts/workloads/pods/downward-api/#downwardapi-resourceFieldRef
    """
    if isinstance(value, list):
        return [measured(item, container) for item in value]
    if not isinstance(value, dict):
        return value
    found = {name: measured(inner, container) for name, inner in value.items()}
    asked = found.get("resourceFieldRef")
    if isinstance(asked, dict) and asked.get("containerName") == MAIN:
        found["resourceFieldRef"] = {**asked, "containerName": container}
    return found
