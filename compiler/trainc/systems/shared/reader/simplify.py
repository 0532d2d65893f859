"""Remove the fields of a job whose values its back end emits by default.

A job that was read from trainc's own output states all defaults. A field is removed if the job's objects without it
are no further from the original ones: in their values, then in the order of fields and items.
"""

from __future__ import annotations

from functools import reduce
from itertools import pairwise
from math import inf
from typing import Any, NamedTuple

from trainc.emit.render import Planned, render
from trainc.launchers.registry import FIELDS
from trainc.lower.job import lower
from trainc.source.node import Mapping, Node, Scalar, plain, scalar_text
from trainc.spec.document import read
from trainc.systems.shared.objects.backend import backend
from trainc.systems.shared.reader.tree import child, items, with_entry, without_entries
from trainc.target import Target
from trainc.well_known import ADDED

_OF_LAUNCHERS = (
    *("nprocPerNode", "slotsPerWorker", "port", "sshPort", "transport", "configFile", "maxRestarts", "shutdownTimeout"),
    *("numCpus", "numGpus", "objectStoreMemory", "startTimeout", "statusPort"),
)
# Fields for which trainc computes a value if the job has none.
_DEFAULTED = (
    *(f"spec.launch.{launcher}.{field}" for launcher in FIELDS for field in _OF_LAUNCHERS),
    *(f"spec.launch.torchrun.rendezvous.{field}" for field in ("backend", "conf", "endpoint", "id", "port")),
    *(f"spec.lifecycle.{field}" for field in ("backoffLimit", "backoffLimitPerIndex", "cleanPodPolicy")),
    *("spec.lifecycle.restartPolicy", "spec.lifecycle.successPolicy", "spec.elastic.metrics", "spec.sharedMemory"),
    *(f"spec.resources.requests.hugepages-{size}" for size in ("2Mi", "1Gi")),
    *("spec.scheduling.gang", "spec.scheduling.schedulerName", "spec.workers"),
)
# Sections with entries of both the user and trainc.
_SHARED = (
    *(("metadata", "labels"), ("metadata", "annotations"), ("spec", "env"), ("spec", "podTemplate", "spec")),
    *(("spec", "podTemplate", "metadata", field) for field in ("labels", "annotations")),
)
Path = tuple[str, ...]
Object = dict[str, Any]
Key = tuple[str, str]  # kind and name


def simplify(job: Mapping, originals: list[Mapping], target: Target) -> Mapping:
    """Return a job without its defaults.

    If its objects do not have all values of the originals, return the job without the fields that make no difference to
    its own objects.
    """
    shorter, difference = _simplified(job, Sample([plain(each) for each in originals], target))
    if difference.is_invalid or not difference.distance[0]:
        return shorter
    return _simplified(job, Sample.of_job(job, target))[0]


def _simplified(job: Mapping, sample: Sample) -> tuple[Mapping, Difference]:
    """Return the job without the fields that its objects do not need, and their difference from the sample.

    Each trial compiles the job. Most often the first trial, without all optional fields, succeeds, or the second, with
    the fields whose values the objects lack in the first.
    """
    optional = _optional(job)
    left_out, needed = optional, list[Path]()
    shorter = _without_all(job, left_out)
    difference = sample.difference(shorter)
    emitted = difference.values  # without any optional field
    while any(difference.distance) and (missed := _missed(job, left_out, difference.missing)):
        needed += missed
        left_out = [path for path in left_out if path not in needed]
        shorter = _without_all(job, left_out)
        difference = sample.difference(shorter)
    # An entry that trainc does not emit itself is the user's.
    of_user = [path for path in needed if _is_shared(path) and not _has_name(path[-1], emitted)]
    if not any(difference.distance):
        # Next to the values of other fields, the value of a field may be a default again.
        trials = [[path] for path in needed if path not in of_user] if len(needed) > 1 else []
        return _without_each(shorter, difference, trials, sample)
    rest = [path for path in optional if path not in of_user]
    return _without_each(job, sample.difference(job), [left_out, rest, *([path] for path in rest)], sample)


def _missed(job: Mapping, paths: list[Path], missing: set[str]) -> list[Path]:
    """Return the paths of fields whose values are missing in the objects, else of entries whose names are."""
    values = {leaf.rpartition("=")[2].strip("'") for leaf in missing}
    fields = [path for path in paths if not _is_shared(path) and values & _texts(child(job, *path))]
    return fields or [path for path in paths if _is_shared(path) and _has_name(path[-1], missing)]


def _without_each(
    job: Mapping, best: Difference, trials: list[list[Path]], sample: Sample
) -> tuple[Mapping, Difference]:
    """Return the job without the groups of fields that its objects do not need, and the difference that is left."""
    if best.is_invalid:
        return job, best
    for paths in trials:
        shorter = _without_all(job, paths)
        difference = best if shorter is job else sample.difference(shorter)
        if difference.distance <= best.distance and difference.missing <= best.missing:  # no value of the user is lost
            job, best = shorter, difference
    return job, best


def _optional(job: Mapping) -> list[Path]:
    """Return the paths of fields that may state a default, and of entries that may be trainc's own."""
    paths = [path for path in (tuple(field.split(".")) for field in _DEFAULTED) if child(job, *path) is not None]
    if scalar_text(child(job, "spec", "workers")) != "1" and child(job, "spec", "elastic") is None:
        paths = [path for path in paths if path != ("spec", "workers")]
    return paths + [
        (*section, name)
        for section in _SHARED
        if isinstance(node := child(job, *section), Mapping)
        for name in node.entries
    ]


def _is_shared(path: Path) -> bool:
    return path[:-1] in _SHARED


def _has_name(name: str, leaves: set[str]) -> bool:
    return any(f"/{name}{end}" in leaf for end in "/=" for leaf in leaves)


def _texts(node: Node | None) -> set[str]:
    """Return the texts of the scalars in a value."""
    if isinstance(node, Scalar):
        return {node.text}
    inside = [entry.value for entry in node.entries.values()] if isinstance(node, Mapping) else items(node)
    return {text for each in inside for text in _texts(each)}


def _without_all(job: Mapping, paths: list[Path]) -> Mapping:
    return reduce(_without, paths, job)


def _without(node: Mapping, path: Path) -> Mapping:
    """Return a tree without the field at a path, and without a section that is empty then."""
    if child(node, *path) is None:
        return node
    name, *rest = path
    inner = node.get(name)
    if not rest or not isinstance(inner, Mapping):
        return without_entries(node, name)
    inner = _without(inner, tuple(rest))
    is_launcher = node.get("run") is None and name in FIELDS
    return with_entry(node, name, inner) if inner.entries or is_launcher else without_entries(node, name)


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
