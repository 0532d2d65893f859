"""Resources of a pod: requests and limits, /dev/shm, volumes."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import Any

from trainc.plan.fields import Object, at, items, mapping, text
from trainc.plan.pods import Pod
from trainc.plan.quantity import parse_quantity
from trainc.record import Record
from trainc.systems.shared.devices import may_have_uncounted_gpus
from trainc.well_known import DEFAULT_SHM, SHM_PATH, is_node_memory

HUGE_PAGES = "hugepages-"
# Names of GPUs of the device plugins that `checks/resources/devices.py` knows.
_GPUS = ("gpu", "vgpu", "pgpu", "i915", "xe")
# Properties of a virtual GPU, not counts.
_PROPERTIES = ("gpumem", "gpucores", "gpu-memory", "gpu-cores", "gpumem-percentage")


class Volume(Record):
    """Mounted volume. `kind` is its field in the pod, or `undefined`; `source` the claim, Secret, path or server.

    `created_by` is the operator that adds it to the pod. `items` are the keys and paths of a ConfigMap that the pod
    selects.
    """

    name: str
    kind: str
    source: str
    path: str
    read_only: bool
    created_by: str = ""
    items: tuple[tuple[str, str], ...] = ()


class Usage(Record):
    """Resources of a pod as the scheduler counts them. Memory and shm are in bytes; shm is 0 if it is the node's."""

    requests: dict[str, Fraction]
    limits: dict[str, Fraction]
    gpus: Fraction
    shm: Fraction
    shm_source: str
    volumes: tuple[Volume, ...]

    @property
    def cpus(self) -> Fraction:
        """Requested cores."""
        return self.requests.get("cpu", Fraction(0))

    @property
    def memory(self) -> Fraction:
        """Requested bytes."""
        return self.requests.get("memory", Fraction(0))

    @property
    def others(self) -> dict[str, Fraction]:
        """Extended resources other than GPUs, and huge pages in bytes."""
        return {
            name: value
            for name, value in self.requests.items()
            if ("/" in name and not is_gpu(name)) or name.startswith(HUGE_PAGES)
        }


def is_gpu(name: str) -> bool:
    """Return whether a resource counts GPUs: https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/"""
    last = name.rpartition("/")[2]
    return "/" in name and last not in _PROPERTIES and (last in _GPUS or last.startswith(("gpu.", "mig-")))


def known_gpus(pod: Pod, container: Object) -> int | None:
    """Return the number of GPUs that a container sees; None if it may see some without a limit that counts them."""
    gpus = int(_limited_gpus(container))
    return gpus if gpus or not may_have_uncounted_gpus(pod.spec, container) else None


def pod_usage(pod: Pod, container: Object) -> Usage:
    """Return what a pod uses, with the GPUs, /dev/shm and volumes of its training container."""
    requests = effective(pod, "requests")
    shm, shm_source = _shm(pod, container)
    return Usage(
        requests=requests,
        limits=effective(pod, "limits"),
        gpus=_limited_gpus(container),
        shm=shm,
        shm_source=shm_source,
        volumes=tuple(_volumes(pod, container)),
    )


def _limited_gpus(container: Object) -> Fraction:
    limits = mapping(container, "resources", "limits")
    return sum((parse_quantity(value) for name, value in limits.items() if is_gpu(name)), Fraction(0))


def effective(pod: Pod, which: str) -> dict[str, Fraction]:
    """Return the sum of all containers, or what an init container needs if that is more.

    https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#resource-sharing-within-containers
    """
    running: defaultdict[str, Fraction] = defaultdict(Fraction)
    peak: defaultdict[str, Fraction] = defaultdict(Fraction)
    for container in items(pod.spec, "initContainers"):
        own = _resources(container, which)
        target = running if text(container, "restartPolicy") == "Always" else defaultdict(Fraction, running)
        for name, amount in own.items():
            target[name] += amount
        for name, amount in target.items():
            peak[name] = max(peak[name], amount)
    for container in items(pod.spec, "containers"):
        for name, amount in _resources(container, which).items():
            running[name] += amount
    effective = {name: max(running[name], peak[name]) for name in {**peak, **running}}
    for name, value in mapping(pod.spec, "overhead").items():
        effective[name] = effective.get(name, Fraction(0)) + parse_quantity(value)
    return effective


def _resources(container: Any, which: str) -> dict[str, Fraction]:
    """Return requests or limits; an absent request equals the limit."""
    amounts = mapping(container, "resources", which)
    if which == "requests":
        amounts = {**mapping(container, "resources", "limits"), **amounts}
    return {name: parse_quantity(value) for name, value in amounts.items()}


def _shm(pod: Pod, container: Object) -> tuple[Fraction, str]:
    """Return the size of /dev/shm and its kind: https://kubernetes.io/docs/concepts/storage/volumes/#emptydir"""
    if at(pod.spec, "hostIPC") is True:
        return Fraction(0), "of the node"
    mounts = [each for each in items(container, "volumeMounts") if text(each, "mountPath").rstrip("/") == SHM_PATH]
    if not mounts:
        return Fraction(DEFAULT_SHM), "(default of the container runtime)"
    name = text(mounts[-1], "name")
    volume: Object = next((each for each in items(pod.spec, "volumes") if text(each, "name") == name), {})
    limit = parse_quantity(text(volume, "emptyDir", "sizeLimit") or "0")
    memory = effective(pod, "limits").get("memory", Fraction(0))
    if text(volume, "emptyDir", "medium") == "Memory":
        if all("memory" in mapping(each, "resources", "limits") for each in items(pod.spec, "containers")):
            limit = min(limit, memory) if limit else memory
        return limit, "in memory"
    if is_node_memory(text(volume, "hostPath", "path")):
        return Fraction(0), "of the node"
    return limit, "on disk"


def _volumes(pod: Pod, container: Object) -> list[Volume]:
    sources = {text(each, "name"): each for each in items(pod.spec, "volumes")}
    volumes = []
    for mount in items(container, "volumeMounts"):
        source = sources.get(text(mount, "name"), {})
        kind = next((key for key in source if key != "name"), "undefined")
        volumes.append(
            Volume(
                name=text(mount, "name"),
                kind=kind,
                source=_source(kind, mapping(source, kind)),
                path=text(mount, "mountPath"),
                read_only=at(mount, "readOnly") is True,
                created_by=text(mount, "createdBy"),
                items=tuple((text(each, "key"), text(each, "path")) for each in items(source, "configMap", "items")),
            )
        )
    return volumes


def _source(kind: str, source: Object) -> str:
    keys = {"persistentVolumeClaim": "claimName", "secret": "secretName", "configMap": "name", "hostPath": "path"}
    if kind == "nfs":
        return f"{text(source, 'server')}:{text(source, 'path')}"
    if kind == "emptyDir":
        return " ".join(filter(None, (text(source, "sizeLimit"), "in memory" if text(source, "medium") else "")))
    return text(source, keys.get(kind, "driver"))
