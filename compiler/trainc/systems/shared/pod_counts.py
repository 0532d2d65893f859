"""Numbers of pods that a manifest asks for, and the largest for which trainc computes pods."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from trainc.record import Record
from trainc.systems.registry import of_kind
from trainc.well_known import MAX_WORKERS

Object = dict[str, Any]
Path = tuple[str | int, ...]
Count = tuple[Path, Path, int]  # role, field and value


class Excess(Record):
    """Field of a manifest that asks for more than MAX_WORKERS pods, alone or with the job's other roles."""

    path: Path
    value: int
    total: int

    @property
    def message(self) -> str:
        """Message of the error."""
        field = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.path).lstrip(".")
        if self.value > MAX_WORKERS:
            return f"`{field}` cannot be {self.value}"
        return f"`{field}` cannot be {self.value} in a job of {self.total} pods"

    @property
    def expected(self) -> str:
        """Values that are possible."""
        return f"a whole number, at most {MAX_WORKERS}" if self.value > MAX_WORKERS else f"at most {MAX_WORKERS} pods"


def excess(manifest: Object, owner: Object | None = None) -> Excess | None:
    """Return the field by which a job has more than MAX_WORKERS pods, None if none does.

    The manifest may be the runtime or the autoscaler of `owner`; of any other object, and of other jobs, it is None.
    """
    counts = list(_counts(manifest, owner or manifest))
    roles: dict[Path, dict[str, int]] = {}
    for role, path, value in counts:
        if value > MAX_WORKERS:
            return Excess(path=path, value=value, total=value)
        if role:
            factors = roles.setdefault(role, {})
            name = "parallelism" if path[-1] == "completions" else str(path[-1])  # the same pods
            factors[name] = max(value, factors.get(name, 0))
    total = sum(prod(factors.values()) for factors in roles.values())
    if total <= MAX_WORKERS:
        return None
    _, path, value = max((each for each in counts if each[0]), key=lambda each: each[2])
    return Excess(path=path, value=value, total=total)


def _counts(manifest: Object, owner: Object) -> Iterator[Count]:
    """Yield the numbers of pods in a manifest, by the traits of its owner's system."""
    system = of_kind(str(owner.get("kind")), str(owner.get("apiVersion")))
    if system is None:
        return
    kind, traits = manifest.get("kind"), system.traits
    if manifest is owner or kind in traits.template_kinds:
        for field in traits.pod_counts:
            yield from _values(manifest, field)
    elif kind == "HorizontalPodAutoscaler":
        scaled = [_at(manifest, ("spec", "scaleTargetRef", name)) for name in ("kind", "name")]
        if scaled == [owner.get("kind"), _at(owner, ("metadata", "name"))]:
            yield from _values(manifest, ("spec", "maxReplicas"))


def _values(manifest: Object, field: Path, role: Path = ()) -> list[Count]:
    """Return the role, path and value of a field; `*` are all items of a list or mapping, which are the roles."""
    if "*" not in field:
        value = _at(manifest, field)
        return [(role, field, value)] if isinstance(value, int) and not isinstance(value, bool) else []
    place = field.index("*")
    holder = _at(manifest, field[:place])
    steps = holder if isinstance(holder, dict) else range(len(holder)) if isinstance(holder, list) else ()
    starts = [(*field[:place], step) for step in steps]
    return [each for start in starts for each in _values(manifest, (*start, *field[place + 1 :]), start)]


def _at(value: Any, path: Path) -> Any:
    """Return the value at a path, or None; numbers are those of existing items."""
    for step in path:
        value = value.get(step) if isinstance(value, dict) else value[step] if isinstance(step, int) else None
    return value
