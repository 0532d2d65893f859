"""`volumes`: what is mounted where, and from what."""

from __future__ import annotations

from typing import Any

from trainc.source.node import Mapping
from trainc.spec.section import Section, anything, flag, mapping, quantity, sequence, text

SHM_PATH = "/dev/shm"  # noqa: S108  in the container, where the runtime mounts it; not a temporary file of ours
_MOUNT_FIELDS = frozenset(("name", "mountPath", "subPath", "readOnly", "mounts"))


class Mount(Section):
    """One place where a volume is mounted."""

    path: str
    sub_path: str | None
    read_only: bool


class Claim(Section):
    """A claim to make; size in bytes as a quantity."""

    size: str
    access_mode: str | None
    storage_class: str | None


class Volume(Section):
    """A volume; `source` is Kubernetes' own description of it, under its kind; `claim` what is to be made."""

    name: str
    kind: str
    source: dict[str, Any]
    mounts: tuple[Mount, ...]
    claim: Claim | None


def read_volumes(node: Mapping) -> tuple[Volume, ...]:
    """The field `volumes`, in the order of the file."""
    return tuple(_volume(item) for item in sequence(node, "volumes") if isinstance(item, Mapping))


def _volume(node: Mapping) -> Volume:
    kind = next(name for name in node.entries if name not in _MOUNT_FIELDS)
    places = [item for item in sequence(node, "mounts") if isinstance(item, Mapping)] or [node]
    return Volume(
        node=node,
        name=text(node, "name") or "",
        kind=kind,
        source=anything(node, kind),
        mounts=tuple(_mount(place) for place in places),
        claim=_claim(mapping(node, "claim")),
    )


def _claim(node: Mapping | None) -> Claim | None:
    if node is None:
        return None
    return Claim(
        node=node,
        size=quantity(node, "size") or "",
        access_mode=text(node, "accessMode"),
        storage_class=text(node, "storageClass"),
    )


def _mount(node: Mapping) -> Mount:
    return Mount(
        node=node,
        path=text(node, "mountPath") or "",
        sub_path=text(node, "subPath"),
        read_only=flag(node, "readOnly") is True,
    )
