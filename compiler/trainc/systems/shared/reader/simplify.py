"""Leave out of a job what its back end emits without it.

A job that was read from trainc's own output states all defaults. Each is left out if the job's objects are then no
further from the original ones.
"""

from __future__ import annotations

from functools import reduce
from itertools import pairwise
from typing import Any

from trainc.emit.render import Planned, render
from trainc.launchers.registry import FIELDS
from trainc.lower.job import lower
from trainc.source.node import Mapping, plain, scalar_text
from trainc.spec.document import read
from trainc.systems.registry import backend
from trainc.systems.shared.reader.tree import child, with_entry, without_entries
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
    *("metadata.labels", "metadata.annotations", "spec.env", "spec.podTemplate.spec"),
    *("spec.podTemplate.metadata.labels", "spec.podTemplate.metadata.annotations"),
)
_INVALID = float("inf")  # distance of a job without objects
Object = dict[str, Any]
Key = tuple[str, str]  # kind and name
Path = tuple[str, ...]
Leaves = tuple[set[str], set[str]]  # values, and names that follow each other


def simplify(job: Mapping, originals: list[Mapping], target: Target) -> Mapping:
    """Return the simplified job if its objects have all values of the originals, else the job without the fields that
    make no difference to its own objects."""
    sample = _Sample([plain(each) for each in originals], target)
    shorter = _simplified(job, sample)
    if sample.distance(shorter)[0] in (0, _INVALID):
        return shorter
    return _simplified(job, _Sample([manifest.data() for manifest in render(_planned(job, target))], target))


def _simplified(job: Mapping, sample: _Sample) -> Mapping:
    """Return the job without the fields whose absence takes its objects no further from those of the sample."""
    best = sample.distance(job)
    if best[0] == _INVALID:
        return job
    least = sample.missing(job)
    # Most often all defaults can be left out at once, which saves trials: each compiles the job.
    paths = _candidates(job, sample)
    for trial in (paths, *([path] for path in paths)):
        shorter = reduce(_without, trial, job)
        if shorter is job:
            continue
        distance, missing = sample.distance(shorter), sample.missing(shorter)
        if distance <= best and missing <= least:  # never without a value that the user has added
            job, best, least = shorter, distance, missing
    return job


def _candidates(job: Mapping, sample: _Sample) -> list[Path]:
    """Return the paths of fields that may state a default, and of entries that the objects have without them, too."""
    paths = [path for path in (tuple(field.split(".")) for field in _DEFAULTED) if child(job, *path) is not None]
    if scalar_text(child(job, "spec", "workers")) != "1" and child(job, "spec", "elastic") is None:
        paths = [path for path in paths if path != ("spec", "workers")]
    shared = [
        (*section.split("."), name)
        for section in _SHARED
        if isinstance(node := child(job, *section.split(".")), Mapping)
        for name in node.entries
    ]
    emitted = sample.values(reduce(_without, shared, job)) if shared else set()
    return [*paths, *(path for path in shared if any(f"/{path[-1]}{end}" in each for end in "/=" for each in emitted))]


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

    def values(self, job: Mapping) -> set[str]:
        """Return the values of a job's objects."""
        leaves = self._leaves_of(job)
        return set() if leaves is None else leaves[0]

    def missing(self, job: Mapping) -> set[str]:
        """Return these values that a job's objects lack."""
        return self._leaves[0] - self.values(job)

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
