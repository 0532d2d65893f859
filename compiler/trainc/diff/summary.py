"""Changes of many objects, grouped by their cause: so that those of thousands of manifests fit one screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from trainc.diff.objects import ObjectDiff
from trainc.diff.redact import Redactor
from trainc.plan.fields import identity, text
from trainc.record import Record
from trainc.systems.shared.changes import FieldChange
from trainc.well_known import JOB_LABEL

NAME = "‹name›"  # in place of the job's name, which differs between jobs
# Returns what sets a field of the new version, such as `field image`; None for an object as a whole.
Cause = Callable[[ObjectDiff, FieldChange | None], str]
Values = tuple[str, str]  # old and new, as text
_Key = tuple[str, Values]  # kind and field, or outcome and object; the values


class Group(Record):
    """Changes with one cause and the same values.

    `fields` are the fields, each after the kind of its object, or what is created or left over. `recreated` are the
    jobs in which an object must be created again because of them.
    """

    cause: str
    fields: tuple[str, ...]
    values: Values
    jobs: tuple[str, ...]
    recreated: tuple[str, ...]


class _Members:
    """Jobs with a change, and the first object that has it."""

    def __init__(self, first: ObjectDiff, change: FieldChange | None) -> None:
        self.first = first
        self.change = change
        self.jobs: dict[str, None] = {}
        self.recreated: dict[str, None] = {}


def group_changes(diffs: Sequence[ObjectDiff], redactor: Redactor, cause: Cause) -> list[Group]:
    """Return the groups of all changes, those of most jobs first. The cause of a group is that of its first job."""
    members: dict[_Key, _Members] = {}
    for each in diffs:
        job = job_name(each)
        for key, change in _changes(each, job, redactor):
            own = members.setdefault(key, _Members(each, change))
            own.jobs[job] = None
            if each.outcome == "re-create" and change and any(r.field == change.name for r in each.effect.refused):
                own.recreated[job] = None
    return _join_fields((key, own, cause(own.first, own.change)) for key, own in members.items())


def job_name(each: ObjectDiff) -> str:
    """Return the namespace and name of an object's job; those of the object if it has no label of a job."""
    name = text(each.some_version, "metadata", "labels", JOB_LABEL) or identity(each.some_version)[1]
    return f"{each.namespace}/{name}" if each.namespace else name


def _changes(each: ObjectDiff, job: str, redactor: Redactor) -> Iterable[tuple[_Key, FieldChange | None]]:
    name = job.rpartition("/")[2]
    if each.outcome in ("created", "left over"):
        yield (f"{each.outcome} {_replace_name(each.name, name)}", ("", "")), None
    for change in each.fields:
        owner = each.some_version
        shown = (
            "" if value is None else _replace_name(redactor(owner, change.path, value), name)
            for value in (change.old, change.new)
        )
        old, new = shown
        yield (f"{text(owner, 'kind')} {_replace_name(redactor.line(change.name), name)}", (old, new)), change


def _replace_name(value: str, name: str) -> str:
    return value.replace(name, NAME) if len(name) > 1 else value


def _join_fields(changes: Iterable[tuple[_Key, _Members, str]]) -> list[Group]:
    """Join fields that change in the same way in the same jobs for one cause."""
    fields: dict[tuple[str, Values, tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for (field, values), own, cause in changes:
        key = (cause, values, tuple(own.jobs), tuple(own.recreated))
        fields.setdefault(key, []).append(field)
    groups = [
        Group(cause=cause, fields=tuple(names), values=values, jobs=jobs, recreated=recreated)
        for (cause, values, jobs, recreated), names in fields.items()
    ]
    return sorted(groups, key=lambda group: (-len(group.jobs), group.cause, group.fields))
