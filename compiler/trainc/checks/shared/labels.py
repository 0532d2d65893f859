"""Labels and annotations as the pods have them: the job's, and those of podTemplate."""

from __future__ import annotations

from trainc.checks.context import RuleContext
from trainc.record import Record
from trainc.source.node import Mapping, scalar_text
from trainc.span import Span
from trainc.spec.section import inside


class Mark(Record):
    """A label or an annotation, where its name stands. `direct`: of podTemplate, and of no other object."""

    value: str
    span: Span
    direct: bool


def marks(context: RuleContext, field: str) -> dict[str, Mark]:
    """The job's `labels` or `annotations`, which every object and pod has, and podTemplate's, which go before them."""
    found: dict[str, Mark] = {}
    template = context.job.pod.patch or Mapping({}, context.job.origin)
    for direct, metadata in ((False, context.spec.metadata.node), (True, inside(template, "metadata"))):
        for name, entry in inside(metadata, field).entries.items():
            found[name] = Mark(value=scalar_text(entry.value), span=entry.key.span, direct=direct)
    return found
