"""Table of fields: which field of a job file is which field of a system's resource.

A system's table is FIELDS in its module `fields`. Its reader, its back end, its traits, and messages about its files
take the names of fields from there.
"""

from __future__ import annotations

from functools import reduce

from trainc.typenames import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainc.ir.job import Job

# Method of ForeignMapping that returns the value for the job; empty if a function of the reader computes it.
Reading = Literal["", "consume", "integer", "number", "string"]


class Field:
    """Field of a resource, below the section that has the dotted path `section`.

    `write` is the attribute of the IR's Job with its value, or a function of the Job that returns it. Without it the
    template writes the field, or a field that contains it is written as a whole.
    """

    section = ""

    def __init__(self, name: str, read: Reading = "", write: str | Callable[[Job], Any] = "") -> None:
        self.name, self.read, self.write = name, read, write

    @property
    def path(self) -> str:
        """Path as a user writes it."""
        return f"{self.section}.{self.name}"

    @property
    def steps(self) -> tuple[str, ...]:
        """Path as a tuple."""
        return (*self.section.split("."), self.name)


Fields = dict[str, Field]  # by the path of the job's field, in the order in which they are written


def table(sections: dict[str, Fields]) -> Fields:
    """Return the fields of all sections."""
    fields: Fields = {}
    for section, own in sections.items():
        for field in own.values():
            field.section = section
        fields |= own
    return fields


def written(fields: Fields, job: Job, *absent: str) -> dict[str, Any]:
    """Return a resource with the fields of a job, without those that are None or False, or have an absent path."""
    resource: dict[str, Any] = {}
    for field in fields.values():
        if not field.write or field.section in absent or field.path in absent:
            continue
        value = reduce(getattr, field.write.split("."), job) if isinstance(field.write, str) else field.write(job)
        if value is not None and value is not False:
            place = resource
            for step in field.section.split("."):
                place = place.setdefault(step, {})
            place[field.name] = value
    return resource
