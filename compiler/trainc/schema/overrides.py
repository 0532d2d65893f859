"""`--set` options, checked against the language."""

from __future__ import annotations

from trainc.diagnostics.diagnostic import Rejected
from trainc.schema.fields import UnknownField, field
from trainc.source.overrides import Override


def parse_overrides(assignments: list[str]) -> list[Override]:
    """Return the overrides. Raises Rejected for an invalid one, or one that removes an unknown field."""
    overrides = [Override(assignment) for assignment in assignments]
    for override in overrides:
        if override.removes:
            try:
                field(override.field)
            except UnknownField as problem:
                raise Rejected(override.unknown_field_error(problem.suggestion)) from None
    return overrides
