"""`--set` options, checked against the language."""

from __future__ import annotations

from trainc.diagnostics.diagnostic import Rejected
from trainc.schema.fields import UnknownField, field
from trainc.source.overrides import Override


def parse_overrides(assignments: list[str]) -> list[Override]:
    """Return the overrides.

    Raises Rejected for an invalid one, one that removes an unknown field, and one of a field without its section.
    """
    overrides = [Override(assignment) for assignment in assignments]
    for override in overrides:
        section = _missing_section(override)
        if section:
            raise Rejected(override.missing_section_error(section))
        if override.removes:
            try:
                field(override.field)
            except UnknownField as problem:
                raise Rejected(override.unknown_field_error(problem.suggestion)) from None
    return overrides


def _missing_section(override: Override) -> str | None:
    """Return the section of a field whose path lacks it, as in `workers=8`."""
    first, job = override.steps[0][0], field("")
    if not isinstance(first, str) or job.child(first) is not None:
        return None
    return next((name for name in ("spec", "metadata") if field(name).child(first) is not None), None)
