"""Conflicts of fields in rarely used sources of volumes: validateVolumeSource."""

from __future__ import annotations

import re

from trainc.plan.fields import Object, listed, mapping, number, text
from trainc.systems.shared.validation.conflicts import Conflict
from trainc.systems.shared.validation.values import LARGEST_LUN

# Prefixes of iSCSI names and what follows them: iscsiInitiatorIqnRegex and the others.
_INITIATOR = re.compile(
    r"iqn\.[0-9]{4}-[0-9]{2}\.[a-zA-Z0-9.-]+:[^,;*&$|\s]+|eui.[a-zA-Z0-9]{16}|naa.[a-zA-Z0-9]{32}", re.ASCII
)
_RESERVED = (".kubernetes.io", ".k8s.io")


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


CONFLICTS = (
    Conflict(
        ("volumes[].fc",),
        lambda volume, pod: bool(listed(volume, "targetWWNs")) == bool(listed(volume, "wwids")),
        "targetWWNs",
        "fc needs exactly one of targetWWNs and wwids",
        "set one of them",
    ),
    Conflict(
        ("volumes[].fc",),
        lambda volume, pod: listed(volume, "targetWWNs") and volume.get("lun") is None,
        "lun",
        "targetWWNs require a lun",
        "set `lun`",
    ),
    Conflict(
        ("volumes[].fc",),
        lambda volume, pod: listed(volume, "targetWWNs") and not 0 <= (number(volume, "lun") or 0) <= LARGEST_LUN,
        "lun",
        f"lun must be from 0 to {LARGEST_LUN}",
        f"set a number from 0 to {LARGEST_LUN}",
    ),
    Conflict(
        ("volumes[].azureDisk",),
        lambda volume, pod: _has_wrong_uri(volume),
        "diskURI",
        "the diskURI of a managed disk starts with /subscriptions/, that of others with https://",
        "set `kind: Managed`, or write the URI of the disk",
    ),
    Conflict(
        ("volumes[].iscsi",),
        lambda volume, pod: _uses_login(volume) and volume.get("secretRef") is None,
        "secretRef",
        "CHAP authentication requires a secretRef",
        "set `secretRef`",
    ),
    Conflict(
        ("volumes[].iscsi",),
        lambda volume, pod: _has_wrong_name(volume, "iqn"),
        "iqn",
        "iqn is not an iSCSI name",
        "write a name like iqn.2026-01.com.example:disk",
    ),
    Conflict(
        ("volumes[].iscsi",),
        lambda volume, pod: _has_wrong_name(volume, "initiatorName"),
        "initiatorName",
        "initiatorName is not an iSCSI name",
        "write a name like iqn.2026-01.com.example:disk",
    ),
    Conflict(
        ("volumes[].flexVolume",),
        lambda volume, pod: _has_reserved_option(volume),
        "options",
        "options in the domains kubernetes.io and k8s.io are reserved",
        "rename the option",
    ),
)
