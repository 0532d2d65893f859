"""GPUs that a container may have without a limit that counts them."""

from __future__ import annotations

from trainc.typenames import Any

# https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html: the runtime reads it
# from the container's variables, else from the image's.
VISIBLE_DEVICES = "NVIDIA_VISIBLE_DEVICES"
# Claimed devices: https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
_POD_FIELDS = ("resourceClaims", "runtimeClassName")


def may_have_uncounted_gpus(pod: dict[str, Any], container: dict[str, Any]) -> bool:
    """Return whether a container of a pod spec may have GPUs though none of its limits is a known resource of GPUs.

    It may by a claim, a runtime class, privileges, NVIDIA_VISIBLE_DEVICES, or a device plug-in's resource of any name.
    """
    environment = container.get("env")
    variables = environment if isinstance(environment, list) else []
    return (
        any(pod.get(field) for field in _POD_FIELDS)
        or any("/" in name for name in _mapping(_mapping(container, "resources"), "limits"))
        or str(_mapping(container, "securityContext").get("privileged")).lower() == "true"
        or any(isinstance(each, dict) and each.get("name") == VISIBLE_DEVICES for each in variables)
    )


def _mapping(value: dict[str, Any], field: str) -> dict[str, Any]:
    """Return a field of a manifest, whose type may be wrong."""
    inner = value.get(field)
    return inner if isinstance(inner, dict) else {}
