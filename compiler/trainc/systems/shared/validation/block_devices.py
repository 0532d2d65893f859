"""Raw block volumes of a container: ValidateVolumeDevices."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.diagnostics.finding import Finding, rejection
from trainc.plan.fields import Object, items, text

_SOURCES = ("persistentVolumeClaim", "ephemeral")


def device_errors(container: Object, pod: Object, more: frozenset[str], *path: str | int) -> Iterator[Finding]:
    """Check a container's volumeDevices; the volumes `more` are claims that the pod doesn't list."""
    sources = {text(volume, "name"): volume for volume in items(pod, "volumes")}
    mounts = {text(mount, field) for mount in items(container, "volumeMounts") for field in ("name", "mountPath")}
    known: set[str] = set()
    for index, device in enumerate(items(container, "volumeDevices")):
        where = (*path, "volumeDevices", index)
        name, target = text(device, "name"), text(device, "devicePath")
        if name not in more:
            if name not in sources:
                yield rejection(f"the pod has no volume `{name}`", *where, "name", help="add it to `volumes`")
            elif all(sources[name].get(source) is None for source in _SOURCES):
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
