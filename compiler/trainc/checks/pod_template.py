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
    yield from _removed(template, "podTemplate", ("metadata", "spec"))
    metadata, spec = template.get("metadata"), template.get("spec")
    if isinstance(metadata, Mapping):
        yield from _removed(metadata, "metadata", ("labels",))
        yield from _metadata(metadata)
    if isinstance(spec, Mapping):
        yield from _removed(spec, "spec", ("containers",))
        for field, instead in OWNED.items():
            if field in spec.entries:
                message = f"`{field}` is set by trainc"
                yield error(codes.TEMPLATE_CONFLICT, message, spec.entries[field].key.span, help=f"use {instead}")
        yield from _containers(spec.get("containers"))


def _removed(patch: Mapping, name: str, needed: tuple[str, ...]) -> Iterator[Diagnostic]:
    """null and `$patch` take away everything that trainc has put there."""
    directive = patch.get("$patch")
    if isinstance(directive, Scalar) and directive.value in ("delete", "replace"):
        message = f"`{name}` holds what trainc needs and can't be removed or replaced"
        yield error(codes.TEMPLATE_CONFLICT, message, directive.span)
    for field in needed:
        value = patch.get(field)
        if isinstance(value, Scalar) and value.value is None:
            message = f"`{field}` holds what trainc needs and can't be removed"
            yield error(codes.TEMPLATE_CONFLICT, message, patch.entries[field].key.span)


def _metadata(metadata: Mapping) -> Iterator[Diagnostic]:
    labels = metadata.get("labels")
    if isinstance(labels, Mapping):
        yield from _removed(labels, "labels", ())
        for name, entry in labels.entries.items():
            if name.startswith("trainc.dev/"):
                message = f"the label `{name}` selects the job's pods"
                yield error(codes.TEMPLATE_CONFLICT, message, entry.key.span)
    for name in ("name", "generateName", "namespace"):
        if name in metadata.entries:
            message = f"`metadata.{name}` of a pod is made of the job's"
            yield error(codes.TEMPLATE_CONFLICT, message, metadata.entries[name].key.span)


def _containers(containers: Node | None) -> Iterator[Diagnostic]:
    for container in containers.items if isinstance(containers, Sequence) else ():
        assert isinstance(container, Mapping)  # the schema's word
        name = container.get("name")
        directive = container.get("$patch")
        if not isinstance(directive, Scalar):
            continue
        whole = directive.value == "replace"  # then the whole list is meant, whatever the item is named
        if whole or (isinstance(name, Scalar) and name.value == MAIN):
            message = "the training container can't be removed or replaced"
            yield error(codes.TEMPLATE_CONFLICT, message, directive.span)
