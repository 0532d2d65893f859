"""Translate a pod's volumes and the training container's mounts to `volumes`; /dev/shm becomes sharedMemory."""

from __future__ import annotations

import re
from typing import Any

from trainc.record import Record
from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence
from trainc.span import Text
from trainc.systems.shared.reader.coercion import is_plain
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.tree import child, items
from trainc.well_known import SHM_PATH

MOUNT_FIELDS = frozenset(("name", "mountPath", "subPath", "readOnly"))
# https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/volume/, those in trainc's schema
SOURCES = frozenset(
    ("persistentVolumeClaim", "configMap", "secret", "emptyDir", "hostPath", "nfs", "ephemeral", "csi", "projected")
)
# YAML 1.1, which kubectl reads, has octal numbers.
OCTAL = re.compile("0[0-7]{1,4}")
MODES = ("defaultMode", "mode")


class TranslatedVolumes(Record):
    """`volumes` and `sharedMemory`, None if absent; `patch` holds the volumes and mounts that they cannot express."""

    fields: list[dict[str, Any]] | None
    shared_memory: Any
    patch: dict[str, Any]


def translate_volumes(spec: ForeignMapping, container: ForeignMapping) -> TranslatedVolumes:
    """Return the volumes that the container mounts with supported fields; the others go to the patch unchanged."""
    mounts = _mappings(container, "volumeMounts")
    fields, rest, shared_memory = [], [], None
    used: list[Mapping] = []
    for volume in [_with_decimal_modes(volume, spec) for volume in _mappings(spec, "volumes")]:
        name = _text(volume, "name")
        own = [mount for mount in mounts if _text(mount, "name") == name]
        size = _memory_size(volume)
        if len(own) == 1 and _text(own[0], "mountPath") == SHM_PATH and size is not None:
            shared_memory, used = size, [*used, *own]
        elif own and _is_supported(volume) and all(set(mount.entries) <= MOUNT_FIELDS for mount in own):
            fields.append(_field(volume, own))
            used += own
        else:
            rest.append(volume)
    unused = [mount for mount in mounts if mount not in used]
    patch: dict[str, Any] = {}
    if rest:
        patch["volumes"] = {spec.key("volumes"): rest}
    if unused:
        patch["volumeMounts"] = {container.key("volumeMounts"): unused}
    return TranslatedVolumes(fields=fields or None, shared_memory=shared_memory, patch=patch)


def _mappings(mapping: ForeignMapping, name: str) -> list[Mapping]:
    nodes = items(mapping.consume(name))
    for node in nodes:
        if not isinstance(node, Mapping):
            mapping.report.add_error(f"`{mapping.path_of(name)}` must be a list of mappings", node.span)
    return [node for node in nodes if isinstance(node, Mapping)]


def _text(node: Mapping, name: str) -> str | None:
    value = node.get(name)
    return value.value if isinstance(value, Scalar) and isinstance(value.value, str) else None


def _is_supported(volume: Mapping) -> bool:
    sources = [name for name in volume.entries if name != "name"]
    return len(sources) == 1 and sources[0] in SOURCES


def _memory_size(volume: Mapping) -> Node | None:
    """Return the size limit of a volume in memory."""
    source = volume.get("emptyDir")
    in_memory = isinstance(source, Mapping) and _text(source, "medium") == "Memory"
    return child(source, "sizeLimit") if in_memory else None


def _field(volume: Mapping, mounts: list[Mapping]) -> dict[str, Any]:
    places = [{key: mount.get(key) for key in ("mountPath", "subPath", "readOnly")} for mount in mounts]
    mounted = places[0] if len(places) == 1 else {"mounts": places}
    source: dict[str, Any] = {
        Text(name, entry.key.span): entry.value for name, entry in volume.entries.items() if name != "name"
    }
    return {"name": volume.get("name"), **mounted, **source}


def _with_decimal_modes(node: Mapping, spec: ForeignMapping) -> Mapping:
    """Return a volume whose file modes, like 0755, are the numbers that kubectl sends."""
    entries = {key: Entry(entry.key, _decimal_mode(key, entry.value, spec)) for key, entry in node.entries.items()}
    return Mapping(entries, node.span)


def _decimal_mode(key: str, node: Node, spec: ForeignMapping) -> Node:
    if isinstance(node, Mapping):
        return _with_decimal_modes(node, spec)
    if isinstance(node, Sequence):
        return Sequence([_decimal_mode("", item, spec) for item in node.items], node.span)
    if key not in MODES or not isinstance(node.value, str) or not is_plain(node) or not OCTAL.fullmatch(node.text):
        return node
    value = int(node.text, 8)
    spec.report.add_change(f"`{node.text}` becomes {value}: kubectl reads it as an octal number", node.span)
    return Scalar(value, str(value), node.span)
