"""A pod's volumes and the training container's mounts as our one list; /dev/shm as sharedMemory."""

from __future__ import annotations

import re
from typing import Any

from trainc.record import Record
from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence
from trainc.span import Text
from trainc.systems.shared.reader.coercion import is_plain
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.well_known import SHM_PATH

OURS = frozenset(("name", "mountPath", "subPath", "readOnly"))
# https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/volume/, those that the schema has
SOURCES = frozenset(
    ("persistentVolumeClaim", "configMap", "secret", "emptyDir", "hostPath", "nfs", "ephemeral", "csi", "projected")
)


# What YAML 1.1, as kubectl reads it, takes for a number to the base of eight.
OCTAL = re.compile("0[0-7]{1,4}")
MODES = ("defaultMode", "mode")


class Volumes(Record):
    """Our `volumes` and `sharedMemory`, None when there is nothing to say; `patch` is what they can't express."""

    fields: list[dict[str, Any]] | None
    shared_memory: Any
    patch: dict[str, Any]


def translate_volumes(spec: ForeignMapping, container: ForeignMapping) -> Volumes:
    """Those that the container mounts in a way that we have words for; the rest is left to the patch, whole."""
    declared = [_with_modes(volume, spec) for volume in _items(spec, "volumes")]
    mounts = _items(container, "volumeMounts")
    fields, left, shared = [], [], None
    used: list[Mapping] = []
    for volume in declared:
        name = _text(volume, "name")
        here = [mount for mount in mounts if _text(mount, "name") == name]
        if len(here) == 1 and _text(here[0], "mountPath") == SHM_PATH and _size(volume) is not None:
            shared, used = _size(volume), [*used, *here]
        elif here and _is_ours(volume) and all(set(mount.entries) <= OURS for mount in here):
            fields.append(_field(volume, here))
            used += here
        else:
            left.append(volume)
    unmatched = [mount for mount in mounts if mount not in used]
    patch: dict[str, Any] = {}
    if left:
        patch["volumes"] = {spec.key("volumes"): left}
    if unmatched:
        patch["volumeMounts"] = {container.key("volumeMounts"): unmatched}
    return Volumes(fields=fields or None, shared_memory=shared, patch=patch)


def _items(foreign: ForeignMapping, name: str) -> list[Mapping]:
    found = foreign.consume(name)
    items = found.items if isinstance(found, Sequence) else []
    for item in items:
        if not isinstance(item, Mapping):
            foreign.report.add_error(f"`{foreign.path_of(name)}` must be a list of mappings", item.span)
    return [item for item in items if isinstance(item, Mapping)]


def _text(node: Mapping, name: str) -> str | None:
    found = node.get(name)
    return found.value if isinstance(found, Scalar) and isinstance(found.value, str) else None


def _is_ours(volume: Mapping) -> bool:
    sources = [name for name in volume.entries if name != "name"]
    return len(sources) == 1 and sources[0] in SOURCES


def _size(volume: Mapping) -> Node | None:
    """The size of a volume in memory, where it has one of its own."""
    source = volume.get("emptyDir")
    in_memory = isinstance(source, Mapping) and _text(source, "medium") == "Memory"
    return source.get("sizeLimit") if isinstance(source, Mapping) and in_memory else None


def _field(volume: Mapping, mounts: list[Mapping]) -> dict[str, Any]:
    places = [{key: mount.get(key) for key in ("mountPath", "subPath", "readOnly")} for mount in mounts]
    placed = places[0] if len(places) == 1 else {"mounts": places}
    source: dict[str, Any] = {
        Text(name, entry.key.span): entry.value for name, entry in volume.entries.items() if name != "name"
    }
    return {"name": volume.get("name"), **placed, **source}


def _with_modes(node: Mapping, spec: ForeignMapping) -> Mapping:
    """A file's mode like 0755 as the number that Kubernetes gets."""
    entries = {key: Entry(entry.key, _mode(key, entry.value, spec)) for key, entry in node.entries.items()}
    return Mapping(entries, node.span)


def _mode(key: str, node: Node, spec: ForeignMapping) -> Node:
    if isinstance(node, Mapping):
        return _with_modes(node, spec)
    if isinstance(node, Sequence):
        return Sequence([_mode("", item, spec) for item in node.items], node.span)
    if key not in MODES or not isinstance(node.value, str) or not is_plain(node) or not OCTAL.fullmatch(node.text):
        return node
    value = int(node.text, 8)
    spec.report.add_change(f"`{node.text}` is {value}: kubectl reads it to the base of eight", node.span)
    return Scalar(value, str(value), node.span)
