"""Requests and limits: ValidateContainerResourceRequirements and ValidateContainerResourceName."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.container_resources import is_device, resource_faults
from trainc.diagnostics.finding import Finding, rejection
from trainc.plan.fields import Object, items, mapping, text
from trainc.systems.shared.validation.names import is_qualified


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
