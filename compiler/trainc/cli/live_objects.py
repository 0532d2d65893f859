"""Objects of a file for commands that read those of a cluster, such as the output of kubectl."""

from __future__ import annotations

from typing import Any

from trainc.diagnostics.diagnostic import Diagnostic
from trainc.plan.fields import Object
from trainc.span import Source
from trainc.status.documents import parse_objects
from trainc.systems.shared.reader.documents import report_template


def read_objects(source: Source, **options: Any) -> tuple[list[Object], list[Diagnostic]]:
    """Return the objects of a text and its errors, like `parse_objects`; one error for an unrendered template."""
    objects, problems = parse_objects(source, **options)
    template = report_template(source, [], problems) if problems else None
    return objects, problems if template is None else [template]
