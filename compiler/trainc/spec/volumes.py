"""`volumes`: volumes, their sources and mounts."""

from __future__ import annotations

from typing import Any

from trainc.source.node import Mapping, mappings
from trainc.spec.section import Quantity, Section, anything, field, text

_MOUNT_FIELDS = frozenset(("name", "mountPath", "subPath", "readOnly", "mounts"))


class Mount(Section):
    """Mount of a volume."""

    path: str = field(text, "mountPath")
    sub_path: str | None
    read_only: bool = False


class Claim(Section):
    """PersistentVolumeClaim to create."""

    size: Quantity
    access_mode: str | None
    storage_class: str | None


def _kind(node: Mapping, _: str = "") -> str:
    return next(name for name in node.entries if name not in _MOUNT_FIELDS)


def _mounts(node: Mapping, name: str) -> tuple[Mount, ...]:
    return tuple(Mount.read(item) for item in mappings(node.get(name)) or [node])


class Volume(Section):
    """Volume; `kind` names the field that holds its source, `source` is in Kubernetes' form."""

    name: str
    kind: str = field(_kind)
    source: dict[str, Any] = field(lambda node, _: anything(node, _kind(node)))
    mounts: tuple[Mount, ...] = field(_mounts)
    claim: Claim | None
