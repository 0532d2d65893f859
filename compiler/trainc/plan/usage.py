"""What a pod asks for and what it may use: resources, /dev/shm, volumes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from trainc.plan.container import DEFAULT_SHM
from trainc.plan.fields import Object, at, items, mapping, text
from trainc.plan.pods import Pod
from trainc.plan.quantity import parse_quantity
from trainc.record import Record

SHM = "/dev/shm"  # noqa: S108  a path in the pod; its own copy, because the judge shares nothing with lowering
# Of a virtual GPU these are properties, not pieces.
_PROPERTIES = ("gpumem", "gpucores", "gpu-memory", "gpu-cores", "gpumem-percentage")


class Volume(Record):
    """Where a volume is mounted, and what it is; `claim` is the PersistentVolumeClaim's name."""

    name: str
    kind: str
    source: str
    path: str
    read_only: bool


class Usage(Record):
    """Of one pod. Resources are what the scheduler counts; memory and shm are in bytes, shm 0 is the host's."""

    requests: dict[str, Fraction]
    limits: dict[str, Fraction]
    gpus: Fraction
    shm: Fraction
    shm_source: str
    volumes: tuple[Volume, ...]

    @property
    def cpus(self) -> Fraction:
        """Cores that the pod asks for."""
        return self.requests.get("cpu", Fraction(0))

    @property
    def memory(self) -> Fraction:
        """Bytes that the pod asks for."""
        return self.requests.get("memory", Fraction(0))

    @property
    def others(self) -> dict[str, Fraction]:
        """Extended resources that are no GPUs."""
        return {name: value for name, value in self.requests.items() if "/" in name and not is_gpu(name)}


def is_gpu(name: str) -> bool:
    """Whether a resource is counted in GPUs: https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/"""
    last = name.rpartition("/")[2]
    return "/" in name and last not in _PROPERTIES and (last == "gpu" or last.startswith(("gpu.", "mig-")))


def pod_usage(pod: Pod, trains: Object) -> Usage:
    """What a pod uses, and what of it the container that trains sees."""
    requests = _effective(pod, "requests")
    shm, shm_of = _shm(pod, trains)
    mine = mapping(trains, "resources", "limits")
    return Usage(
        requests=requests,
        limits=_effective(pod, "limits"),
        gpus=sum((parse_quantity(value) for name, value in mine.items() if is_gpu(name)), Fraction(0)),
        shm=shm,
        shm_source=shm_of,
        volumes=tuple(_volumes(pod, trains)),
    )


def _effective(pod: Pod, which: str) -> dict[str, Fraction]:
    """The sum of all containers, or an init container that needs more.

    https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#resource-sharing-within-containers
    """
    running: dict[str, Fraction] = {}
    most: dict[str, Fraction] = {}
    for one in items(pod.spec, "initContainers"):
        own = _resources(one, which)
        if text(one, "restartPolicy") == "Always":
            _add(running, own)
            own = {}
        for name in {**own, **running}:
            most[name] = max(most.get(name, Fraction(0)), own.get(name, Fraction(0)) + running.get(name, Fraction(0)))
    for one in items(pod.spec, "containers"):
        _add(running, _resources(one, which))
    found = {name: max(running.get(name, Fraction(0)), most.get(name, Fraction(0))) for name in {**running, **most}}
    _add(found, {name: parse_quantity(value) for name, value in mapping(pod.spec, "overhead").items()})
    return found


def _resources(one: Any, which: str) -> dict[str, Fraction]:
    """A request that isn't given is as large as the limit."""
    given = mapping(one, "resources", which)
    if which == "requests":
        given = {**mapping(one, "resources", "limits"), **given}
    return {name: parse_quantity(value) for name, value in given.items()}


def _add(to: dict[str, Fraction], more: dict[str, Fraction]) -> None:
    for name, value in more.items():
        to[name] = to.get(name, Fraction(0)) + value


def _shm(pod: Pod, trains: Object) -> tuple[Fraction, str]:
    """https://kubernetes.io/docs/concepts/storage/volumes/#emptydir: in memory, at most what the pod may have."""
    if at(pod.spec, "hostIPC") is True:
        return Fraction(0), "the node's"
    at_shm = [one for one in items(trains, "volumeMounts") if text(one, "mountPath").rstrip("/") == SHM]
    if not at_shm:
        return DEFAULT_SHM, "the container runtime's"
    name = text(at_shm[-1], "name")
    volume: Object = next((one for one in items(pod.spec, "volumes") if text(one, "name") == name), {})
    limit = parse_quantity(text(volume, "emptyDir", "sizeLimit") or "0")
    memory = _effective(pod, "limits").get("memory", Fraction(0))
    if text(volume, "emptyDir", "medium") == "Memory":
        if all("memory" in mapping(one, "resources", "limits") for one in items(pod.spec, "containers")):
            limit = min(limit, memory) if limit else memory
        return limit, "in memory"
    return limit, "on disk"


def _volumes(pod: Pod, trains: Object) -> list[Volume]:
    sources = {text(one, "name"): one for one in items(pod.spec, "volumes")}
    found = []
    for mount in items(trains, "volumeMounts"):
        source = sources.get(text(mount, "name"), {})
        kind = next((key for key in source if key != "name"), "nothing")
        found.append(
            Volume(
                name=text(mount, "name"),
                kind=kind,
                source=_of(kind, mapping(source, kind)),
                path=text(mount, "mountPath"),
                read_only=at(mount, "readOnly") is True,
            )
        )
    return found


def _of(kind: str, source: Object) -> str:
    keys = {"persistentVolumeClaim": "claimName", "secret": "secretName", "configMap": "name", "hostPath": "path"}
    if kind == "nfs":
        return f"{text(source, 'server')}:{text(source, 'path')}"
    if kind == "emptyDir":
        return " ".join(filter(None, (text(source, "sizeLimit"), "in memory" if text(source, "medium") else "")))
    return text(source, keys.get(kind, "driver"))
