"""Parts of containers: resources, mounts, and the containers that run first."""

from __future__ import annotations

from typing import Any

from trainc.ir.pod import Mount, PodPlan

NEEDED = ("cpu", "memory")


def resources(requests: dict[str, str], limits: dict[str, str]) -> dict[str, Any]:
    """A container's `resources`; empty when nothing is asked for."""
    # Strings, as the API server gives them back: of a number kubectl says at every apply that it has changed.
    both = {"requests": requests, "limits": limits}
    return {name: given for name, given in both.items() if given}


def mounted(mount: Mount) -> dict[str, Any]:
    """A container's `volumeMounts` entry."""
    found: dict[str, Any] = {"name": mount.volume, "mountPath": mount.path}
    if mount.sub_path is not None:
        found["subPath"] = mount.sub_path
    return {**found, "readOnly": True} if mount.read_only else found


def init_containers(plan: PodPlan) -> list[dict[str, Any]]:
    """What has to be done first, by the training image: no other has to be pulled.

    With the CPUs and the memory of the training container, or the pod would lose its Guaranteed quality of
    service; without the GPU it doesn't need: https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/#guaranteed
    """
    own = {"image": plan.image}
    if plan.image_pull_policy is not None:
        own["imagePullPolicy"] = plan.image_pull_policy
    needed = ({name: given[name] for name in NEEDED if name in given} for given in (plan.requests, plan.limits))
    same = resources(*needed)
    found: list[dict[str, Any]] = []
    for step in plan.init_commands:
        container: dict[str, Any] = {"name": step.name, **own, "command": list(step.command)}
        if same:
            container["resources"] = same
        if step.mounts:
            container["volumeMounts"] = [mounted(mount) for mount in step.mounts]
        found.append(container)
    return found
