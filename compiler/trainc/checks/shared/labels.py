"""Labels and annotations of the pods: the job's, and those of podTemplate."""

from __future__ import annotations

from trainc.checks.rule import RuleContext
from trainc.record import Record
from trainc.source.node import Mapping, scalar_text
from trainc.span import Span
from trainc.spec.section import inside


class Mark(Record):
    """Label or annotation and the position of its name; `direct` if only podTemplate sets it."""

    value: str
    span: Span
    direct: bool


def marks(context: RuleContext, field: str) -> dict[str, Mark]:
    """Return the `labels` or `annotations` of the pods; the job's own are also on every other object."""
    patch = inside(inside(context.job.pod.patch or Mapping({}, context.job.origin), "metadata"), field)
    return {
        name: Mark(value=scalar_text(entry.value), span=entry.key.span, direct=name in patch.entries)
        for name, entry in inside(inside(context.pod.template, "metadata"), field).entries.items()
    }
