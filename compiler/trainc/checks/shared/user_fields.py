"""Fields that the user sets for the training container, in the job's own fields or in podTemplate."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.rule import Related, RuleContext
from trainc.source.node import Mapping, mappings, scalar_text
from trainc.spec.section import inside
from trainc.well_known import MAIN


def patch_spec(context: RuleContext) -> Mapping:
    """Return the pod spec of podTemplate as written; empty without podTemplate."""
    return inside(context.job.pod.patch or Mapping({}, context.job.origin), "spec")


def patched_containers(context: RuleContext, field: str = "containers") -> list[Mapping]:
    """Return the containers that podTemplate changes or adds, as written, without those that it removes."""
    return [item for item in mappings(patch_spec(context).get(field)) if "$patch" not in item.entries]


def patched_resources(context: RuleContext) -> Iterator[Mapping]:
    """Yield `resources` of the training container in podTemplate, as written."""
    for container in patched_containers(context):
        if scalar_text(container.get("name")) == MAIN:
            yield inside(container, "resources")


def workers(context: RuleContext) -> list[Related]:
    """Return the place of the number of workers, as the other side of a contradiction."""
    field = "elastic" if context.spec.elastic else "workers"
    if not context.spec.gives(field):
        return []
    return [Related(span=context.spec.where(field), message="conflicts with this")]
