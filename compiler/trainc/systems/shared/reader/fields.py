"""Read the fields of a system's table, and name them in messages."""

from __future__ import annotations

from typing import Any

from trainc.span import Text
from trainc.systems.shared.fields import Fields
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping


def names(fields: Fields) -> dict[str, str]:
    """Return the NAMES of a reader."""
    return {job: field.path for job, field in fields.items()}


def read_fields(section: ForeignMapping, fields: Fields, job_section: str) -> dict[str, Any]:
    """Return the fields of a section of the job that a section of the document has, as the table reads them.

    Their names have the positions of the document's names.
    """
    values: dict[str, Any] = {}
    for job, field in fields.items():
        parent, _, name = job.rpartition(".")
        if field.read and parent == job_section:
            values[Text(name, section.key(field.name).span)] = getattr(section, field.read)(field.name)
    return values
