"""A pod template patch that takes away what the back end stands on."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.case import Case
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.source.node import Mapping, Node, Scalar, Sequence

# Fields that are the back end's own, and the field of the job to use instead.
OWNED = {
    "hostname": "nothing: peers find each other by it",
    "subdomain": "nothing: peers find each other by it",
    "restartPolicy": "lifecycle.restartPolicy",
    "setHostnameAsFQDN": "nothing: peers find each other by their short names",
}
MAIN = "main"


def check(case: Case) -> Iterator[Diagnostic]:
    """Labels that select the pods, names by which they meet, and the training container must stay."""
    template = case.spec.pod_template
    if template is None:
        return
    metadata, spec = template.get("metadata"), template.get("spec")
    labels = metadata.get("labels") if isinstance(metadata, Mapping) else None
    if isinstance(labels, Mapping):
        for name in labels.entries:
            if name.startswith("trainc.dev/"):
                message = f"the label `{name}` selects the job's pods"
                yield error(codes.TEMPLATE_CONFLICT, message, labels.entries[name].key.span)
    if isinstance(metadata, Mapping):
        for name in ("name", "generateName", "namespace"):
            if name in metadata.entries:
                message = f"`metadata.{name}` of a pod is made of the job's"
                yield error(codes.TEMPLATE_CONFLICT, message, metadata.entries[name].key.span)
    if not isinstance(spec, Mapping):
        return
    for field, instead in OWNED.items():
        if field in spec.entries:
            message = f"`{field}` is set by trainc"
            yield error(codes.TEMPLATE_CONFLICT, message, spec.entries[field].key.span, help=f"use {instead}")
    yield from _containers(spec.get("containers"))


def _containers(containers: Node | None) -> Iterator[Diagnostic]:
    if not isinstance(containers, Sequence):
        return
    for container in containers.items:
        assert isinstance(container, Mapping)  # the schema's word
        name = container.get("name")
        if isinstance(name, Scalar) and name.value == MAIN and "$patch" in container.entries:
            message = "the training container can't be removed or replaced"
            yield error(codes.TEMPLATE_CONFLICT, message, container.where("$patch"))
