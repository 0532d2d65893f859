"""What the API server rejects in a Pod: ValidatePodCreate."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.diagnostics.finding import Finding, rejection
from trainc.kubernetes_fields import Field
from trainc.plan.fields import Object, items, mapping, text
from trainc.systems.shared.validation.names import object_errors
from trainc.systems.shared.validation.pod import spec_errors

NEW_FIELDS: tuple[Field, ...] = ()


def errors(resource: Object) -> Iterator[Finding]:
    """Yield the errors; of a Pod, other than of a template, also spaces around an image."""
    yield from object_errors(resource)
    pod = mapping(resource, "spec")
    yield from spec_errors(pod, "spec")
    for field in ("initContainers", "containers"):
        for index, container in enumerate(items(pod, field)):
            image = text(container, "image")
            if image != image.strip():
                path = ("spec", field, index, "image")
                yield rejection("the image has spaces around it", *path, help="remove them", fix=("set", image.strip()))
