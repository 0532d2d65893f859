"""Parts of a pod spec, in the order in which they are written: containers, their resources and volumes."""

from __future__ import annotations

from trainc.ir.pod import DeviceClaim, Mount, PodPlan
from trainc.span import Traced, like
from trainc.typenames import Any
from trainc.well_known import MAIN

_SCALARS = (str, int)
INIT_RESOURCES = ("cpu", "memory")
READINESS_PERIOD = 5  # seconds
# Reasons of fields that no field of the job sets.
REASONS = {"dnsPolicy": "With Kubernetes' default the node's DNS servers don't resolve the workers' names."}


def present(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields without those that are None or empty."""
    return {name: value for name, value in fields.items() if value or isinstance(value, _SCALARS)}


def main_container(plan: PodPlan, env: list[dict[str, Any]], args: list[str]) -> dict[str, Any]:
    """Return the training container, with the name that it has in job files."""
    probe = {"tcpSocket": {"port": plan.ready.number}, "periodSeconds": READINESS_PERIOD} if plan.ready else None
    return {
        "name": MAIN,
        "image": plan.image,
        **present(
            {
                "imagePullPolicy": plan.image_pull_policy,
                "command": list(plan.program.command),
                "args": args,
                "workingDir": plan.working_dir,
                "env": env,
                "envFrom": list(plan.env_from),
                "ports": [{"name": port.name, "containerPort": port.number} for port in plan.ports],
                "readinessProbe": probe,
                "resources": resources(plan.requests, plan.limits, plan.device_claims),
                "securityContext": plan.security.main,
                "volumeMounts": [volume_mount(mount) for mount in plan.mounts],
            }
        ),
    }


def init_containers(plan: PodPlan) -> list[dict[str, Any]]:
    """Return the sidecars, then the init containers, which use the training image: no other one has to be pulled.

    These have the CPUs and the memory of the training container, or the pod would lose its Guaranteed quality of
    service, and no GPU: https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/#guaranteed
    """
    sections = (plan.requests, plan.limits)
    requests, limits = ({name: section[name] for name in INIT_RESOURCES if name in section} for section in sections)
    own = {"image": plan.image, "imagePullPolicy": plan.image_pull_policy}
    shared = {"resources": resources(requests, limits), "securityContext": plan.security.others}
    return [*plan.sidecars] + [
        present(
            {
                "name": step.name,
                **own,
                "command": list(step.command),
                **shared,
                "volumeMounts": [volume_mount(mount) for mount in step.mounts],
            }
        )
        for step in plan.init_commands
    ]


def resources(requests: dict[str, str], limits: dict[str, str], claims: tuple[DeviceClaim, ...] = ()) -> dict[str, Any]:
    """Return a container's `resources`, with the names of claims of the pod; empty without any."""
    # Strings, as the API server returns them: kubectl would report a number as changed in every apply.
    fields = present({"requests": requests, "limits": limits})
    if claims:
        entries = ((present({"name": claim.name, "request": claim.request}), claim.origin) for claim in claims)
        fields["claims"] = [Traced.of(*entry) for entry in entries]
    return fields


def resource_claims(plan: PodPlan) -> list[dict[str, Any]]:
    """Return the claims of the pod: https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/"""
    return [Traced.of({"name": claim.name, **claim.source}, claim.origin) for claim in plan.device_claims]


def volume_mount(mount: Mount) -> dict[str, Any]:
    """Return an entry of a container's `volumeMounts`."""
    entry: dict[str, Any] = {"name": mount.volume, "mountPath": mount.path}
    if mount.sub_path is not None:
        entry["subPath"] = mount.sub_path
    return Traced.of({**entry, "readOnly": True} if mount.read_only else entry, mount.origin)


def volumes(plan: PodPlan) -> list[dict[str, Any]]:
    """Return the volumes of the pod."""
    return [Traced.of({"name": volume.name, volume.kind: volume.source}, volume.origin) for volume in plan.volumes]


def with_container(spec: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a pod spec whose training container has another name, also where `resourceFieldRef` refers to it.

    An unknown name keeps the container from starting:
    https://kubernetes.io/docs/concepts/workloads/pods/downward-api/#downwardapi-resourceFieldRef
    """
    if name == MAIN:
        return spec
    (main,) = spec["containers"]
    main = {**_renamed(main, name), "name": name}
    return {**spec, "containers": [main], "volumes": _renamed(spec["volumes"], name)}


def _renamed(value: Any, container: str) -> Any:
    if isinstance(value, list):
        return [_renamed(item, container) for item in value]
    if not isinstance(value, dict):
        return value
    renamed = {name: _renamed(inner, container) for name, inner in value.items()}
    reference = renamed.get("resourceFieldRef")
    if isinstance(reference, dict) and reference.get("containerName") == MAIN:
        renamed["resourceFieldRef"] = like(reference, {**reference, "containerName": container})
    return like(value, renamed)
