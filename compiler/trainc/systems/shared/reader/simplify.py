"""Leave out of a job what its back end emits without it.

A job that was read from trainc's own output states all defaults. Each is left out if the job's objects are then no
further from the original ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import pairwise
from typing import Any

from trainc.emit.render import Planned, render
from trainc.launchers.registry import FIELDS
from trainc.lower.job import lower
from trainc.source.node import Mapping, build_tree, plain, scalar_text
from trainc.spec.document import read
from trainc.systems.registry import backend
from trainc.systems.shared.reader.own_fields import is_launcher_config, preferences, proposals
from trainc.systems.shared.reader.tree import child, with_entry, without_entries
from trainc.target import Target
from trainc.well_known import ADDED

# Sections of whose fields trainc has defaults, or which it adds to the pods.
_SECTIONS = (
    *("metadata.labels", "metadata.annotations", "spec"),
    *(f"spec.launch.{name}{section}" for name in FIELDS for section in ("", ".rendezvous")),
    *(f"spec.{name}" for name in ("lifecycle", "env", "elastic", "scheduling", "checkpoint", "save", "shareFile")),
    *(f"spec.{name}" for name in ("resources.requests", "resources.limits", "podTemplate", "podTemplate.spec")),
    *("spec.podTemplate.metadata.labels", "spec.podTemplate.metadata.annotations"),
)
_REQUIRED = (
    *("image", "launch", "launcherPod", "run", "elastic.minReplicas", "elastic.maxReplicas"),
    *(f"launch.{name}{key}" for name in FIELDS for key in ("", ".sshSecret")),
    *("checkpoint.path", "save.path", "shareFile.directory"),
)
# Fields that users set in most jobs: no trial removes them together with others.
_OF_USERS = (
    *(("metadata", field) for field in ("labels", "annotations")),
    *(("spec", field) for field in ("workers", "resources", "env", "envFrom", "podTemplate")),
)
_INVALID = float("inf")  # distance of a job without objects
Object = dict[str, Any]
Key = tuple[str, str]  # kind and name
Leaves = tuple[set[str], set[str]]  # values, and names that follow each other


def simplify(job: Mapping, originals: list[Mapping], target: Target) -> Mapping:
    """Return the job without the fields that make no difference; `originals` are all objects of the job."""
    sample = _Sample([plain(each) for each in originals], target)
    best = sample.distance(job)
    if best[0] == _INVALID:
        return job
    while best > (0, 0):
        others = [(sample.distance(other), other) for other in proposals(job, originals)]
        distance, closest = min(others, key=lambda other: other[0], default=(best, job))
        if distance >= best:
            break
        job, best = closest, distance
    for other in preferences(job, originals):
        distance = sample.distance(other)
        if distance <= best:
            job, best = other, distance
    least = sample.missing(job)
    paths = list(_paths(job))
    # Most often all defaults can be left out at once, which saves trials: each compiles the job.
    for trial in ([path for path in paths if path[:2] not in _OF_USERS], *([path] for path in paths)):
        present = [path for path in trial if child(job, *path) is not None]
        if not present:
            continue
        shorter = reduce(_without, present, job)
        distance, missing = sample.distance(shorter), sample.missing(shorter)
        if distance <= best and missing <= least:  # never without a value that the user has added
            job, best, least = shorter, distance, missing
    return job


def simplify_exactly(job: Mapping, originals: list[Mapping], target: Target) -> Mapping:
    """Return the simplified job if its objects have all values of the originals, else the job without the fields that
    make no difference to its own objects."""
    # A ConfigMap of local files stays an object of its own, to which the job refers.
    own = emitted_objects(job, target)
    originals = [
        each
        for each in originals
        if scalar_text(each.get("kind")) != "ConfigMap" or _key(plain(each)) in own or is_launcher_config(job, each)
    ]
    shorter = simplify(job, originals, target)
    if _Sample([plain(each) for each in originals], target).distance(shorter)[0] == 0:
        return shorter
    emitted = [build_tree(manifest.data(), job.span) for manifest in render(_planned(job, target))]
    return simplify(job, [each for each in emitted if isinstance(each, Mapping)], target)


def emitted_objects(job: Mapping, target: Target) -> set[Key]:
    """Return kinds and names of the objects of a job."""
    return {(each.kind, each.context["name"]) for each in _planned(job, target)}


def _planned(job: Mapping, target: Target) -> list[Planned]:
    """Return the objects of a job; none for an invalid one."""
    spec = read(job)
    return [] if isinstance(spec, list) else list(backend(target.backend).objects(lower(spec, target), target))


class _Sample:
    """Objects of a job. Only the first two of its single Pods are compared: the others differ in their number."""

    def __init__(self, objects: list[Object], target: Target) -> None:
        pods = [each for each in objects if each["kind"] == "Pod"]
        self._left_out = {_key(each) for each in pods[2:]}
        self._leaves = _leaves([each for each in objects if _key(each) not in self._left_out])
        self._target = target
        self._last: tuple[Mapping | None, Leaves | None] = None, None

    def distance(self, job: Mapping) -> tuple[float, float]:
        """Return the number of values in which a job's objects differ from these, and the same of orders.

        An invalid job has no objects.
        """
        leaves = self._leaves_of(job)
        if leaves is None:
            return _INVALID, 0
        return len(leaves[0] ^ self._leaves[0]), len(leaves[1] ^ self._leaves[1])

    def missing(self, job: Mapping) -> set[str]:
        """Return these values that a job's objects lack."""
        leaves = self._leaves_of(job)
        return self._leaves[0] if leaves is None else self._leaves[0] - leaves[0]

    def _leaves_of(self, job: Mapping) -> Leaves | None:
        """Return the values and orders of a job's objects, of the last job without computing them again."""
        if job is not self._last[0]:
            planned = _planned(job, self._target)
            compared = [each for each in planned if (each.kind, each.context["name"]) not in self._left_out]
            self._last = job, _leaves([manifest.data() for manifest in render(compared)]) if planned else None
        return self._last[1]


def _key(manifest: Object) -> Key:
    name = (manifest.get("metadata") or {}).get("name")
    return str(manifest["kind"]), str(name)


def _paths(job: Mapping) -> Iterator[tuple[str, ...]]:
    for section in sorted(_SECTIONS, key=lambda section: -section.count(".")):  # inner fields first
        steps = tuple(section.split("."))
        node = child(job, *steps)
        for name in node.entries if isinstance(node, Mapping) else ():
            if f"{section}.{name}".removeprefix("spec.") not in _REQUIRED:
                yield (*steps, name)


def _without(node: Mapping, path: tuple[str, ...]) -> Mapping:
    """Return a tree without the field at a path, and without a section that is empty then."""
    name, *rest = path
    inner = node.get(name)
    if not rest or not isinstance(inner, Mapping):
        return without_entries(node, name)
    inner = _without(inner, tuple(rest))
    is_launcher = node.get("run") is None and name in FIELDS
    return with_entry(node, name, inner) if inner.entries or is_launcher else without_entries(node, name)


def _leaves(objects: list[Object]) -> Leaves:
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
