"""Table of fields: which field of a job file is which field of a system's resource.

A system's table is FIELDS in its module `fields`. Its reader, its back end, its traits, and messages about its files
take the names of fields from there.
"""

from __future__ import annotations

from trainc.typenames import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainc.ir.job import Job

# Method of ForeignMapping that returns the value for the job; empty if a function of the reader computes it.
Reading = Literal["", "consume", "integer", "number", "string"]


class Field:
    """Field of a resource, at a dotted path.

    `write` is the attribute of the IR's Job with its value, or a function of the Job that returns it. Without it the
    template writes the field, or a field that contains it is written as a whole.
    """

    def __init__(self, path: str, read: Reading = "", write: str | Callable[[Job], Any] = "") -> None:
        self.path, self.read, self.write = path, read, write

    @property
    def steps(self) -> tuple[str, ...]:
        """Names on the path, the field's own last."""
        return tuple(self.path.split("."))

    @property
    def name(self) -> str:
        """The field's own name."""
        return self.path.rpartition(".")[2]


Fields = dict[str, Field]  # by the path of the job's field, in the order in which they are written


def written(fields: Fields, job: Job, *absent: str) -> dict[str, Any]:
    """Return a resource with the fields of a job, without those that are None or False or at or below absent paths."""
    resource: dict[str, Any] = {}
    for field in fields.values():
        write = field.write
        if not write or field.path.startswith(absent):
            continue
        value: Any = job
        if isinstance(write, str):
            for attribute in write.split("."):
                value = getattr(value, attribute)
        else:
            value = write(job)
        if value is None or value is False:
            continue
        *sections, name = field.path.split(".")
        place = resource
        for section in sections:
            place = place.setdefault(section, {})
        place[name] = value
    return resource
