"""What sets a changed field: a field of the job file, a default, or a rule of the back end."""

from __future__ import annotations

from collections.abc import Sequence

from trainc.compiled import Compiled
from trainc.diff.fields import item_key
from trainc.diff.objects import ObjectDiff
from trainc.diff.summary import job_name
from trainc.plan.fields import identity, text
from trainc.provenance.manifests import manifest_origins
from trainc.provenance.origins import Origin
from trainc.schema.paths import Path, dotted
from trainc.systems.shared.changes import ITEM, FieldChange
from trainc.typenames import Any

_UNKNOWN = "changed in the manifests"
_LEFT = "no job compiles to it"


class Causes:
    """Function that returns the cause of a change, for objects that compiled jobs have."""

    def __init__(self, jobs: Sequence[Compiled]) -> None:
        self._jobs = {f"{job.namespace}/{job.name}" if job.namespace else job.name: job for job in jobs}
        self._origins: dict[tuple[str, int], list[Origin]] = {}

    def __call__(self, each: ObjectDiff, change: FieldChange | None) -> str:
        """Return the cause of the change of a field, or of an object that is created or left over."""
        name = job_name(each)
        job = self._jobs.get(name)
        if each.outcome == "left over":
            return _LEFT if self._jobs else _UNKNOWN
        number = _number(job, each) if job else None
        if job is None or number is None:
            return _UNKNOWN
        if (name, number) not in self._origins:
            self._origins[name, number] = manifest_origins(job, number)
        return _cause(self._origins[name, number], each, change)


def _number(job: Compiled, each: ObjectDiff) -> int | None:
    names = [(manifest.kind, manifest.name) for manifest in job.manifests()]
    return names.index(identity(each.new)) if identity(each.new) in names else None


def _cause(origins: list[Origin], each: ObjectDiff, change: FieldChange | None) -> str:
    path = _path(each.new, change.path) if change else ("kind",)
    old = "" if change is None else str(change.old)
    below = [origin for origin in origins if origin.path[: len(path)] == path]
    # Of a list or mapping, what the old version lacks.
    new = [origin for origin in below if origin.leaf.text.strip("\"'") not in old] or below
    if change and change.new is None:
        return "no field or rule sets it any more"
    return _of_origin(new[0], is_object=change is None) if new else _UNKNOWN


def _of_origin(origin: Origin, is_object: bool) -> str:
    """Return the cause without the position in a file, which differs between jobs."""
    places = origin.conditions if is_object else [*origin.values, *origin.conditions]
    names = [dotted(each.path).removeprefix("spec.") for each in places[:1] if each.path]
    if origin.rule is None:
        return f"field {names[0]}" if names else "an option or another object of the file"
    if origin.rule.field:
        return origin.rule.name
    written = origin.rule.written
    rule = f"rule of {origin.rule.system} in {written.template}:{written.line}"
    return f"{rule}, from field {names[0]}" if names and origin.values else rule


def _path(value: Any, path: Sequence[str]) -> Path:
    """Return a path with the numbers of items in place of their keys, as far as the object has it."""
    steps: list[str | int] = []
    for step in path:
        if step.startswith(ITEM) and isinstance(value, list):
            number = _item(value, step[1:-1])
            if number is None:
                break
            steps.append(number)
            value = value[number]
        elif isinstance(value, dict) and step in value:
            steps.append(step)
            value = value[step]
        else:
            break
    return tuple(steps)


def _item(items: list[Any], name: str) -> int | None:
    key = item_key(items)
    if key is None:
        return int(name) if name.isdigit() and int(name) < len(items) else None
    return next((place for place, item in enumerate(items) if text(item, key) == name), None)
