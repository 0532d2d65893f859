"""Requests and limits of containers and of a whole pod, and its overhead.

ValidateContainerResourceRequirements, ValidateContainerResourceName, validatePodResources and validateOverhead.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.diagnostics.finding import Finding, rejection
from trainc.plan.fields import Object, items, mapping, text
from trainc.quantity import NANO, is_quantity, nanos
from trainc.systems.shared.validation.names import is_qualified

_STANDARD = ("cpu", "memory", "ephemeral-storage")
_NATIVE, HUGE_PAGES = "kubernetes.io/", "hugepages-"


def resource_errors(container: Object, claims: set[str], *path: str | int) -> Iterator[Finding]:
    """Check a container; `claims` are the pod's resource claims."""
    path = (*path, "resources")
    resources = mapping(container, "resources")
    limits, requests = (
        {name: text(resources, field, name) for name in mapping(resources, field)} for field in ("limits", "requests")
    )
    for field, quantities in (("limits", limits), ("requests", requests)):
        for name, quantity in quantities.items():
            yield from _quantity(name, quantity, *path, field, name)
    for name, request in requests.items():
        yield from _overcommitted(name, request, limits.get(name), *path, "requests", name)
    pages = [(field, name) for field in ("limits", "requests") for name in mapping(resources, field)]
    for field, name in pages:
        if name.startswith(HUGE_PAGES) and not {"cpu", "memory"} & {*limits, *requests}:
            help_ = "request memory, too"
            yield rejection(f"`{name}` requires a CPU or memory request", *path, field, name, help=help_)
            break
    for index, claim in enumerate(items(resources, "claims")):
        if text(claim, "name") not in claims:
            reason = f"the pod has no resource claim `{text(claim, 'name')}`"
            yield rejection(reason, *path, "claims", index, "name", help="add it to the pod's `resourceClaims`")


def _is_device(name: str) -> bool:
    """Return whether a name is an extended resource: IsNativeResource of pkg/apis/core/helper/helpers.go."""
    return name not in _STANDARD and not name.startswith(HUGE_PAGES) and _NATIVE not in name


def _quantity(name: str, quantity: str, *path: str | int) -> Iterator[Finding]:
    if _is_device(name) and not ("/" in name and is_qualified(name)):
        help_ = "write the resource of a device plugin in full, like `nvidia.com/gpu`"
        yield rejection(f"`{name}` is not a resource of containers", *path, help=help_)
    elif not is_quantity(quantity):
        return
    elif nanos(quantity) < 0:
        yield rejection(f"`{name}` must not be negative", *path, help="set a positive number, or remove it")
    elif _is_device(name) and nanos(quantity) % NANO:
        yield rejection(f"`{name}` must be a whole number, not {quantity}", *path, help="set a whole number")


def _overcommitted(name: str, request: str, limit: str | None, *path: str | int) -> Iterator[Finding]:
    if limit is None:
        if _is_device(name) or name.startswith(HUGE_PAGES):
            reason = f"`{name}` can't be overcommitted: the request of {request} requires an equal limit"
            yield rejection(reason, *path, help="set only the limit: it is the request too")
    elif is_quantity(request) and is_quantity(limit):
        if nanos(request) > nanos(limit):
            help_ = "lower the request, or raise the limit"
            yield rejection(f"the {name} request of {request} exceeds the limit of {limit}", *path, help=help_)
        elif _is_device(name) and nanos(request) != nanos(limit):
            reason = f"`{name}` can't be overcommitted: request {request} and limit {limit} must be equal"
            yield rejection(reason, *path, help="set only the limit: it is the request too")


_SUPPORTED = ("cpu", "memory")  # and huge pages: SupportedPodLevelResources of k8s.io/component-helpers/resource


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
