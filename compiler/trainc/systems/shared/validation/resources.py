"""Requests and limits of containers and of a whole pod, and its overhead.

ValidateContainerResourceRequirements, ValidateContainerResourceName, validatePodResources and validateOverhead.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.container_resources import HUGE_PAGES, is_device, resource_faults
from trainc.diagnostics.finding import Finding, rejection
from trainc.plan.fields import Object, items, mapping, text
from trainc.quantity import is_quantity, nanos
from trainc.systems.shared.validation.names import is_qualified

_SUPPORTED = ("cpu", "memory")  # and huge pages: SupportedPodLevelResources of k8s.io/component-helpers/resource


def resource_errors(container: Object, claims: set[str], *path: str | int) -> Iterator[Finding]:
    """Check a container; `claims` are the pod's resource claims."""
    path = (*path, "resources")
    resources = mapping(container, "resources")
    limits, requests = (
        {name: text(resources, field, name) for name in mapping(resources, field)} for field in ("limits", "requests")
    )
    for field, amounts in (("limits", limits), ("requests", requests)):
        for name in [each for each in amounts if is_device(each) and not ("/" in each and is_qualified(each))]:
            help_ = "write the resource of a device plugin in full, like `nvidia.com/gpu`"
            yield rejection(f"`{name}` is not a resource of containers", *path, field, name, help=help_)
            del amounts[name]
    for fault in resource_faults(requests, limits):
        related = tuple(((*path, *place), label) for place, label in fault.related)
        yield fault.replace(path=(*path, *fault.path), related=related)
    for index, claim in enumerate(items(resources, "claims")):
        if text(claim, "name") not in claims:
            reason = f"the pod has no resource claim `{text(claim, 'name')}`"
            yield rejection(reason, *path, "claims", index, "name", help="add it to the pod's `resourceClaims`")


def pod_resource_errors(pod: Object, *path: str | int) -> Iterator[Finding]:
    """Check the pod's own resources against those of its containers."""
    if isinstance(pod.get("overhead"), dict):
        for each in resource_errors({"resources": {"limits": pod["overhead"]}}, set()):
            yield each.replace(path=(*path, "overhead", *each.path[2:]))
    resources = mapping(pod, "resources")
    if not resources:
        return
    if resources.get("claims") is not None:
        reason = "resources of the pod can't have claims"
        yield rejection(reason, *path, "resources", "claims", help="write them in a container")
    names = {field: mapping(resources, field) for field in ("limits", "requests")}
    for field, quantities in names.items():
        for name in quantities:
            if name not in _SUPPORTED and not name.startswith(HUGE_PAGES):
                reason = f"resources of the pod can't have `{name}`"
                yield rejection(reason, *path, "resources", field, name, help="write it in a container")
    yield from resource_errors(pod, set(), *path)
    for name, quantity in names["requests"].items():
        total = sum(_amount(container, name) for container in items(pod, "containers"))
        if is_quantity(str(quantity)) and total > nanos(str(quantity)):
            reason = f"the containers request more {name} than the pod, {quantity}"
            yield rejection(reason, *path, "resources", "requests", name, help="request more, or remove it")
    for name, quantity in names["limits"].items():
        limits = (text(container, "resources", "limits", name) for container in items(pod, "containers"))
        if is_quantity(str(quantity)) and any(
            is_quantity(each) and nanos(each) > nanos(str(quantity)) for each in limits
        ):
            reason = f"a container's limit of {name} exceeds that of the pod, {quantity}"
            yield rejection(reason, *path, "resources", "limits", name, help="raise it, or remove it")


def _amount(container: Object, name: str) -> int:
    """Return what a container requests; without a request, its limit."""
    request = text(container, "resources", "requests", name) or text(container, "resources", "limits", name)
    return nanos(request) if is_quantity(request) else 0
