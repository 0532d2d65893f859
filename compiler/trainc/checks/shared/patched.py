"""What the checks need to know of the pod as `podTemplate` leaves it: containers, mounts, limits."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.ir.pod import MAIN, Volume
from trainc.record import Record
from trainc.source.node import Mapping, mappings, plain, scalar_text
from trainc.span import Span
from trainc.spec.section import inside, quantities


class Mounted(Record):
    """A place in the training container, without a slash at its end, and the volume that is there.

    `by_trainc` is true of what the user has not written as a volume.
    """

    path: str
    read_only: bool
    volume: Volume
    origin: Span | None
    by_trainc: bool


def patch_of(context: RuleContext) -> Mapping:
    """The pod spec of the patch; empty when there is none."""
    patch = context.job.pod.patch
    return inside(patch, "spec") if patch is not None else Mapping({}, context.job.origin)


def containers(context: RuleContext, field: str = "containers") -> list[Mapping]:
    """The containers that the patch changes or adds, without those that it removes."""
    return [item for item in mappings(patch_of(context).get(field)) if "$patch" not in item.entries]


def main_container(context: RuleContext) -> Mapping:
    """What the patch says of the training container."""
    found = [item for item in containers(context) if scalar_text(item.get("name")) == MAIN]
    return found[0] if found else Mapping({}, context.job.origin)


def resources(container: Mapping) -> tuple[dict[str, str], dict[str, str]]:
    """Requests and limits of a container of the patch, as they are typed."""
    section = inside(container, "resources")
    return quantities(inside(section, "requests")), quantities(inside(section, "limits"))


def with_resources(context: RuleContext) -> list[tuple[bool, Mapping]]:
    """The containers for which the patch says something of resources, and whether each is the training container."""
    return [
        (field == "containers" and scalar_text(item.get("name")) == MAIN, item)
        for field in ("initContainers", "containers")
        for item in containers(context, field)
        if "resources" in item.entries
    ]


def main_limits(context: RuleContext) -> dict[str, str]:
    """The limits of the training container."""
    return {**context.job.pod.limits, **resources(main_container(context))[1]}


def mounts(context: RuleContext) -> list[Mounted]:
    """All that is mounted in the training container. Lists are merged as `emit/patch.py` does: mounts by path,
    volumes by name, and a volume that is given anew keeps nothing of another source."""
    volumes = {volume.name: volume for volume in context.job.pod.volumes}
    written = {volume.name for volume in context.spec.volumes}
    for volume in _patched_volumes(context, volumes):
        volumes[volume.name] = volume
        written.add(volume.name)
    found: dict[str, Mounted] = {}
    for mount in context.job.pod.mounts:
        path = _path(mount.path)
        found[path] = Mounted(
            path=path,
            read_only=mount.read_only,
            volume=volumes[mount.volume],
            origin=mount.origin,
            by_trainc=mount.volume not in written,
        )
    for item in mappings(main_container(context).get("volumeMounts")):
        path, name = _path(scalar_text(item.get("mountPath"))), scalar_text(item.get("name"))
        if "$patch" in item.entries:
            found.pop(path, None)
        elif name in volumes:
            found[path] = Mounted(
                path=path,
                read_only=scalar_text(item.get("readOnly")) == "true",
                volume=volumes[name],
                origin=item.where("mountPath"),
                by_trainc=name not in written,
            )
    return list(found.values())


def mount_of(path: str, mounted: list[Mounted]) -> Mounted | None:
    """The innermost mount that a path lies on."""
    folder = _path(path) + "/"
    above = [mount for mount in mounted if folder.startswith(mount.path + "/")]
    return max(above, key=lambda mount: len(mount.path), default=None)


def _path(path: str) -> str:
    return path.rstrip("/")


def _patched_volumes(context: RuleContext, before: dict[str, Volume]) -> Iterator[Volume]:
    for item in mappings(patch_of(context).get("volumes")):
        name = scalar_text(item.get("name"))
        kind = next((field for field, value in item.items() if isinstance(value, Mapping)), None)
        if kind is None or "$patch" in item.entries:
            continue
        source, old = plain(item.entries[kind].value), before.get(name)
        if old is not None and old.kind == kind:
            source = {**old.source, **source}
        yield Volume(name=name, kind=kind, source=source, origin=item.entries[kind].key.span)
