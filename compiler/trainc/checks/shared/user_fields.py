"""Fields of the pods and of the training container that the user sets, in the job's own fields or in podTemplate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainc.checks.rule import Places, RuleContext
from trainc.quantity import NANO, nanos
from trainc.record import Record
from trainc.source.node import Mapping, mappings, scalar_text
from trainc.span import Span
from trainc.spec.section import inside
from trainc.well_known import MAIN


class Mark(Record):
    """Label or annotation and the position of its name; `is_pod_only` if only podTemplate sets it."""

    value: str
    span: Span
    is_pod_only: bool


def marks(context: RuleContext, field: str) -> dict[str, Mark]:
    """Return the `labels` or `annotations` of the pods; the job's own are also on every other object."""
    patch = inside(inside(_patch(context), "metadata"), field)
    return {
        name: Mark(value=scalar_text(entry.value), span=entry.key.span, is_pod_only=name in patch.entries)
        for name, entry in inside(inside(context.pod.template, "metadata"), field).entries.items()
    }


def patch_spec(context: RuleContext) -> Mapping:
    """Return the pod spec of podTemplate as written; empty without podTemplate."""
    return inside(_patch(context), "spec")


def patched_containers(context: RuleContext, *fields: str) -> Iterator[Mapping]:
    """Yield the containers that podTemplate changes or adds, as written, without those that it removes."""
    for field in fields or ("initContainers", "containers"):
        for container in mappings(patch_spec(context).get(field)):
            if "$patch" not in container.entries:
                yield container


def patched_resources(context: RuleContext) -> Iterator[Mapping]:
    """Yield `resources` of the training container in podTemplate, as written."""
    for container in patched_containers(context, "containers"):
        if scalar_text(container.get("name")) == MAIN:
            yield inside(container, "resources")


def resource_names(sections: Iterable[Mapping]) -> Iterator[tuple[str, Span]]:
    """Yield the resources that `resources` sections name, in their requests and limits, too."""
    for section in sections:
        for node in (section, section.get("limits"), section.get("requests")):
            for name, entry in node.entries.items() if isinstance(node, Mapping) else ():
                yield name, entry.key.span


def gpu_count(context: RuleContext) -> int:
    """Return the number of GPUs, or of shares of GPUs, that the training container requests."""
    main, gpu = context.pod.main, context.spec.resources.gpu
    counts = {**main.requests, **main.limits}
    names = [gpu.resource] if gpu is not None else [name for name in counts if name.endswith("/gpu") or "/mig-" in name]
    return max((nanos(counts[name]) // NANO for name in names if name in counts), default=0)


def workers(context: RuleContext) -> Places:
    """Return the place of the number of workers, as the other side of a contradiction."""
    return [(context.spec.span_of("elastic" if context.spec.elastic else "workers"), "conflicts with this")]


def _patch(context: RuleContext) -> Mapping:
    return context.job.pod.patch or Mapping({}, context.job.origin)
