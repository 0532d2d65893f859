"""Volumes of a pod, and where its containers mount them.

ValidateVolumes, ValidateVolumeMounts and ValidateVolumeDevices.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.finding import Finding, rejection
from trainc.plan.fields import Object, items, mapping, text
from trainc.quantity import is_quantity, nanos
from trainc.systems.shared.model import MARKS
from trainc.systems.shared.validation.names import label_errors

# Sources that may be block devices.
_DEVICES = ("persistentVolumeClaim", "ephemeral")
# Fields that name an object and whose schema doesn't require them.
_REFERENCES = {"configMap": "name", "secret": "secretName", "persistentVolumeClaim": "claimName", "csi": "driver"}


def volume_errors(pod: Object, *path: str | int) -> Iterator[Finding]:
    """Check the pod's volumes; a volume without a source is an emptyDir."""
    known: set[str] = set()
    for index, volume in enumerate(items(pod, "volumes")):
        where, name = (*path, "volumes", index), text(volume, "name")
        yield from label_errors(name, "volume name", *where, "name", code=codes.INVALID_POD_NAME)
        if name in known:
            reason, help_ = f"two volumes are named `{name}`", "rename one of them, also where it is mounted"
            yield rejection(reason, *where, "name", help=help_, code=codes.DUPLICATE_VOLUME)
        known.add(name)
        sources = [field for field, value in volume.items() if field not in ("name", *MARKS) and value is not None]
        if len(sources) > 1:
            reason = f"volume `{name}` has more than one source: {' and '.join(sources)}"
            yield rejection(reason, *where, sources[1], help="keep one of them")
        for source, field in _REFERENCES.items():
            if source in sources and not text(volume, source, field):
                reason = f"the {source} of volume `{name}` has no {field}"
                yield rejection(reason, *where, source, field, help=f"set `{field}`")
        if "projected" in sources:
            yield from _projected_paths(volume, *where, "projected", "sources")
        if ".." in text(volume, "hostPath", "path").split("/"):
            reason, help_ = f"`{text(volume, 'hostPath', 'path')}` contains `..`", "write the path without `..`"
            yield rejection(reason, *where, "hostPath", "path", help=help_, code=codes.INVALID_POD_PATH)
        size = text(volume, "emptyDir", "sizeLimit")
        if is_quantity(size) and nanos(size) < 0:
            help_ = "set a positive size, or remove it"
            yield rejection("sizeLimit must not be negative", *where, "emptyDir", "sizeLimit", help=help_)


def _projected_paths(volume: Object, *path: str | int) -> Iterator[Finding]:
    """Report files of a projected volume with the same path: validateProjectionSources."""
    known: set[str] = set()
    for index, source in enumerate(items(volume, "projected", "sources")):
        for kind in ("secret", "configMap", "downwardAPI"):
            for file in (text(item, "path") for item in items(source, kind, "items")):
                if file in known:
                    reason = f"two files of the volume have the path `{file}`"
                    yield rejection(reason, *path, index, help="change one of them")
                known |= {file} - {""}


def mount_errors(container: Object, volumes: set[str], *path: str | int) -> Iterator[Finding]:
    """Check the mounts of a container in a pod with these volumes."""
    known: set[str] = set()
    for index, mount in enumerate(items(container, "volumeMounts")):
        where, name, target = (*path, "volumeMounts", index), text(mount, "name"), text(mount, "mountPath")
        if name not in volumes:
            help_ = "add it to `volumes`" if not volumes else f"add it to `volumes`, or use {_either(volumes)}"
            yield rejection(f"the pod has no volume `{name}`", *where, "name", help=help_, code=codes.UNKNOWN_VOLUME)
        if not target:
            yield rejection("a volume mount has no path", *where, "mountPath", help="set an absolute path")
        elif target in known:
            reason, help_ = f"two volumes are mounted at `{target}`", "mount one of them elsewhere"
            yield rejection(reason, *where, "mountPath", help=help_, code=codes.DUPLICATE_MOUNT)
        known.add(target)
        both = bool(text(mount, "subPath") and text(mount, "subPathExpr"))
        for field in ("subPath", "subPathExpr"):
            value, reason = text(mount, field), ""
            if value.startswith("/") or ".." in value.split("/"):
                reason, help_ = f"`{value}` is not a path inside the volume", "write a relative path without `..`"
            elif both and field == "subPathExpr":
                reason, help_ = "subPath and subPathExpr exclude each other", "remove one of them"
            if reason:
                yield rejection(reason, *where, field, help=help_, code=codes.INVALID_POD_PATH)


def _either(names: set[str]) -> str:
    return " or ".join(f"`{name}`" for name in sorted(names)[:5])


def volume_names(pod: Object) -> set[str]:
    """Return the names of the pod's volumes."""
    return {text(volume, "name") for volume in items(pod, "volumes")}


def claim_names(pod: Object) -> set[str]:
    """Return the names of the pod's resource claims."""
    return {text(claim, "name") for claim in items(mapping(pod), "resourceClaims")}


def device_errors(container: Object, pod: Object, more: frozenset[str], *path: str | int) -> Iterator[Finding]:
    """Check a container's volumeDevices, raw block volumes; the volumes `more` are claims that the pod doesn't list."""
    sources = {text(volume, "name"): volume for volume in items(pod, "volumes")}
    mounts = {text(mount, field) for mount in items(container, "volumeMounts") for field in ("name", "mountPath")}
    known: set[str] = set()
    for index, device in enumerate(items(container, "volumeDevices")):
        where = (*path, "volumeDevices", index)
        name, target = text(device, "name"), text(device, "devicePath")
        if name not in more:
            if name not in sources:
                yield rejection(f"the pod has no volume `{name}`", *where, "name", help="add it to `volumes`")
            elif all(sources[name].get(source) is None for source in _DEVICES):
                reason = f"volume `{name}` is no PersistentVolumeClaim, and so no block device"
                yield rejection(reason, *where, "name", help="use volumeMounts")
        if not target:
            yield rejection("a block device has no path", *where, "devicePath", help="set `devicePath`")
        elif ".." in target.split("/"):
            yield rejection(f"`{target}` contains `..`", *where, "devicePath", help="write the path without `..`")
        for field, value in (("name", name), ("devicePath", target)):
            if value and value in known | mounts:
                reason = f"`{value}` is already mounted in the container"
                yield rejection(reason, *where, field, help="remove one of them")
        known |= {name, target}
