"""Parts of containers: resources, volume mounts, init containers."""

from __future__ import annotations

from typing import Any

from trainc.ir.pod import Mount, PodPlan

INIT_RESOURCES = ("cpu", "memory")


def resources(requests: dict[str, str], limits: dict[str, str]) -> dict[str, Any]:
    """Return a container's `resources`; empty without requests and limits."""
    # Strings, as the API server returns them: kubectl would report a number as changed in every apply.
    sections = {"requests": requests, "limits": limits}
    return {name: amounts for name, amounts in sections.items() if amounts}


def volume_mount(mount: Mount) -> dict[str, Any]:
    """Return an entry of a container's `volumeMounts`."""
    entry: dict[str, Any] = {"name": mount.volume, "mountPath": mount.path}
    if mount.sub_path is not None:
        entry["subPath"] = mount.sub_path
    return {**entry, "readOnly": True} if mount.read_only else entry


def init_containers(plan: PodPlan) -> list[dict[str, Any]]:
    """Return the init containers. They use the training image, so that no other image has to be pulled.

    They have the CPUs and the memory of the training container, or the pod would lose its Guaranteed quality of
    service, and no GPU: https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/#guaranteed
    """
    own = {"image": plan.image}
    if plan.image_pull_policy is not None:
        own["imagePullPolicy"] = plan.image_pull_policy
    amounts = ({name: each[name] for name in INIT_RESOURCES if name in each} for each in (plan.requests, plan.limits))
    init_resources = resources(*amounts)
    containers: list[dict[str, Any]] = []
    for step in plan.init_commands:
        container: dict[str, Any] = {"name": step.name, **own, "command": list(step.command)}
        if init_resources:
            container["resources"] = init_resources
        if step.mounts:
            container["volumeMounts"] = [volume_mount(mount) for mount in step.mounts]
        containers.append(container)
    return containers
