"""Tables that map fields of job files to fields of a system's resource.

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
    """Field of a resource.

    `write` is the attribute of the IR's Job with its value, or a function of the Job that returns it; without `write` a
    template or the back end writes the field. None and the value `default` are left out. `path` is the path of the
    section and the name. `steps` is the same as a tuple, with `*` for `[0]`, an item of a list.
    """

    section: str
    path: str
    steps: tuple[str, ...]

    def __init__(
        self, name: str, read: Reading = "", write: str | Callable[[Job], Any] = "", default: Any = None
    ) -> None:
        self.name, self.read, self.write, self.default = name, read, write, default


Fields = dict[str, Field]  # by the path of the job's field, in the order in which they are written


def table(sections: dict[str, Fields]) -> Fields:
    """Return the fields of all sections, which are keyed by their paths."""
    fields: Fields = {}
    for section, own in sections.items():
        for field in own.values():
            field.section, field.path = section, f"{section}.{field.name}"
            field.steps = (*section.replace("[0]", ".*").split("."), field.name)
        fields |= own
    return fields


def names(fields: Fields, section: str) -> tuple[str, ...]:
    """Return the names of the fields of a section, in the order of the table."""
    return tuple(field.name for field in fields.values() if field.section == section)


def written(fields: Fields, job: Job, *absent: str) -> dict[str, Any]:
    """Return a resource with the fields of a job, without defaults, and those at absent paths."""
    resource: dict[str, Any] = {}
    for field in fields.values():
        if not field.write or field.section in absent or field.path in absent:
            continue
        value = reduce(getattr, field.write.split("."), job) if isinstance(field.write, str) else field.write(job)
        if value is not None and value != field.default:
            place = resource
            for step in field.steps[:-1]:
                place = place.setdefault(step, {})
            place[field.name] = value
    return resource
