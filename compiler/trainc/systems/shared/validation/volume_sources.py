"""Rarely used sources of volumes: validateVolumeSource."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from trainc.diagnostics.finding import Finding, rejection
from trainc.plan.fields import Object, listed, mapping, number, text

# Fields that must have a value. A rule of its own reports sources that Kubernetes has removed.
_REQUIRED = {
    "awsElasticBlockStore": ("volumeID",),
    "azureDisk": ("diskName", "diskURI"),
    "azureFile": ("secretName", "shareName"),
    "cinder": ("volumeID",),
    "flexVolume": ("driver",),
    "gcePersistentDisk": ("pdName",),
    "iscsi": ("targetPortal", "iqn"),
    "portworxVolume": ("volumeID",),
    "vsphereVolume": ("volumePath",),
}
_NUMBERS = {"awsElasticBlockStore": "partition", "gcePersistentDisk": "partition", "iscsi": "lun", "fc": "lun"}
_LARGEST = 255
# Prefixes of iSCSI names and what follows them: iscsiInitiatorIqnRegex and the others.
_INITIATOR = re.compile(
    r"iqn\.[0-9]{4}-[0-9]{2}\.[a-zA-Z0-9.-]+:[^,;*&$|\s]+|eui.[a-zA-Z0-9]{16}|naa.[a-zA-Z0-9]{32}", re.ASCII
)
_RESERVED = (".kubernetes.io", ".k8s.io")


class _Conflict(NamedTuple):
    source: str
    is_conflict: Callable[[Object], object]
    field: str
    reason: str
    help: str


def _has_wrong_uri(disk: Object) -> bool:
    kind, uri = text(disk, "kind") or "Shared", text(disk, "diskURI")
    return bool(uri) and not uri.startswith("/subscriptions/" if kind == "Managed" else "https://")


def _uses_login(disk: Object) -> bool:
    return disk.get("chapAuthDiscovery") is True or disk.get("chapAuthSession") is True


def _has_wrong_name(disk: Object, field: str) -> bool:
    return bool(text(disk, field)) and not _INITIATOR.fullmatch(text(disk, field))


def _has_reserved_option(volume: Object) -> bool:
    namespaces = (f".{key.partition('/')[0].lower()}" for key in mapping(volume, "options"))
    return any(namespace.endswith(_RESERVED) for namespace in namespaces)


_CONFLICTS = (
    _Conflict(
        "fc",
        lambda volume: bool(listed(volume, "targetWWNs")) == bool(listed(volume, "wwids")),
        "targetWWNs",
        "fc needs exactly one of targetWWNs and wwids",
        "set one of them",
    ),
    _Conflict(
        "fc",
        lambda volume: listed(volume, "targetWWNs") and volume.get("lun") is None,
        "lun",
        "targetWWNs require a lun",
        "set `lun`",
    ),
    _Conflict(
        "azureDisk",
        _has_wrong_uri,
        "diskURI",
        "the diskURI of a managed disk starts with /subscriptions/, that of others with https://",
        "set `kind: Managed`, or write the URI of the disk",
    ),
    _Conflict(
        "iscsi",
        lambda volume: _uses_login(volume) and volume.get("secretRef") is None,
        "secretRef",
        "CHAP authentication requires a secretRef",
        "set `secretRef`",
    ),
    _Conflict(
        "iscsi",
        lambda volume: _has_wrong_name(volume, "iqn"),
        "iqn",
        "iqn is not an iSCSI name",
        "write a name like iqn.2026-01.com.example:disk",
    ),
    _Conflict(
        "iscsi",
        lambda volume: _has_wrong_name(volume, "initiatorName"),
        "initiatorName",
        "initiatorName is not an iSCSI name",
        "write a name like iqn.2026-01.com.example:disk",
    ),
    _Conflict(
        "flexVolume",
        _has_reserved_option,
        "options",
        "options in the domains kubernetes.io and k8s.io are reserved",
        "rename the option",
    ),
)


def source_errors(volume: Object, *path: str | int) -> Iterator[Finding]:
    """Check the sources of a volume."""
    for source, value in volume.items():
        if not isinstance(value, dict):
            continue
        for field in _REQUIRED.get(source, ()):
            if not value.get(field):
                yield rejection(f"`{field}` has no value", *path, source, field, help=f"set `{field}`")
        field = "" if source == "fc" and not value.get("targetWWNs") else _NUMBERS.get(source, "")
        if not 0 <= (number(value, field) or 0) <= _LARGEST:
            reason = f"{field} must be from 0 to {_LARGEST}"
            yield rejection(reason, *path, source, field, help=f"set a number from 0 to {_LARGEST}")
        if source == "cinder" and value.get("secretRef") is not None and not text(value, "secretRef", "name"):
            yield rejection("`name` has no value", *path, source, "secretRef", "name", help="set `name`")
        for conflict in _CONFLICTS:
            if conflict.source == source and conflict.is_conflict(value):
                yield rejection(conflict.reason, *path, source, conflict.field, help=conflict.help)
