"""Difference between the objects of a job and a sample: values, and the order of fields and items."""

from __future__ import annotations

from itertools import pairwise
from math import inf
from typing import Any, NamedTuple

from trainc.emit.render import Planned, render
from trainc.lower.job import lower
from trainc.source.node import Mapping
from trainc.spec.document import read
from trainc.systems.shared.objects.backend import backend
from trainc.target import Target
from trainc.well_known import ADDED

Object = dict[str, Any]
Key = tuple[str, str]  # kind and name


class Difference(NamedTuple):
    """Difference between the objects of a job and a sample.

    `values` are those of the job's objects, `missing` the sample's values that they lack. `distance` is the number of
    different values, then that of different orders. An invalid job has no objects, and an infinite distance.
    """

    values: set[str]
    missing: set[str]
    distance: tuple[float, float]

    @property
    def is_invalid(self) -> bool:
        """Return whether the job has no objects."""
        return self.distance[0] == inf


class Sample:
    """Objects of a job, to compare with those of others.

    Of Pods without a controller only the first two are compared: the others differ in their number.
    """

    def __init__(self, objects: list[Object], target: Target) -> None:
        pods = [each for each in objects if each["kind"] == "Pod"]
        self._left_out = {_key(each) for each in pods[2:]}
        self._values, self._orders = _leaves([each for each in objects if _key(each) not in self._left_out])
        self._target = target

    @classmethod
    def of_job(cls, job: Mapping, target: Target) -> Sample:
        """Return the objects of a job as a sample."""
        return cls([manifest.data() for manifest in render(_planned(job, target))], target)

    def difference(self, job: Mapping) -> Difference:
        """Return the difference between a job's objects and the sample."""
        planned = _planned(job, self._target)
        if not planned:
            return Difference(set(), self._values, (inf, 0))
        compared = [each for each in planned if (each.kind, each.context["name"]) not in self._left_out]
        values, orders = _leaves([manifest.data() for manifest in render(compared)])
        return Difference(values, self._values - values, (len(values ^ self._values), len(orders ^ self._orders)))


def _planned(job: Mapping, target: Target) -> list[Planned]:
    """Return the objects of a job; none for an invalid one."""
    spec = read(job)
    return [] if isinstance(spec, list) else list(backend(target.backend).objects(lower(spec, target), target))


def _key(manifest: Object) -> Key:
    name = (manifest.get("metadata") or {}).get("name")
    return str(manifest["kind"]), str(name)


def _leaves(objects: list[Object]) -> tuple[set[str], set[str]]:
    """Return the values of objects, and the names that follow each other."""
    values: set[str] = set()
    orders: set[str] = set()
    for each in objects:
        metadata = each.get("metadata") or {}
        _collect(each, f"{each.get('kind')}/{metadata.get('name')}", values, orders)
    return values, orders


def _collect(value: Any, path: str, values: set[str], orders: set[str]) -> None:
    if isinstance(value, dict) and value:
        inside = {str(key): inner for key, inner in value.items()}
    elif isinstance(value, list) and value:
        names = [inner.get("name", number) if isinstance(inner, dict) else number for number, inner in enumerate(value)]
        inside = dict(zip(map(str, names), value, strict=True))
    else:
        texts = str(value).split("; ") if path.endswith(ADDED) else [repr(value)]
        values.update(f"{path}={text}" for text in texts)
        return
    orders.update(f"{path}: {first} before {second}" for first, second in pairwise(inside))
    for name, inner in inside.items():
        _collect(inner, f"{path}/{name}", values, orders)
