"""Shapes of volumes and their sources."""

from __future__ import annotations

import re
from typing import Any

from trainc.schema.cures.shape import NAME, QUANTITY, Replacement, Shape, is_true, slug, text_of
from trainc.source.node import Mapping, Node, Scalar, Sequence

_VOLUME = re.compile(r"(?P<source>[^:]+):(?P<path>/[^:]*)(:(?P<mode>ro|rw))?")
_ACCESS_MODES = {"rwx": "ReadWriteMany", "rwo": "ReadWriteOnce", "rox": "ReadOnlyMany", "rwop": "ReadWriteOncePod"}


def volume(node: Node, spec: Mapping) -> Any:
    """Read SOURCE:PATH[:ro], as for docker run."""
    value = _volume(text_of(node))
    return value and Replacement(value=value, certain=not _has_claim(value))


def _has_claim(value: dict[str, Any]) -> bool:
    """Return whether the volume is a claim: docker would create it, but it is only a guess that the claim exists."""
    return "persistentVolumeClaim" in value


def _volume(text: str) -> dict[str, Any] | None:
    match = _VOLUME.fullmatch(text)
    source = match["source"] if match else ""
    if source.startswith(("./", "../")):
        source = slug(source)  # a directory beside a compose file: storage of the cluster has its files
    if match is None or not (source.startswith("/") or NAME.fullmatch(source)):
        return None
    read_only = {"readOnly": True} if match["mode"] == "ro" else {}
    name = slug(source.rpartition("/")[2])[:63].strip("-") or "data"
    kind, field = ("hostPath", "path") if source.startswith("/") else ("persistentVolumeClaim", "claimName")
    return {"name": name, "mountPath": match["path"], kind: {field: source}, **read_only}


def volumes(node: Node, spec: Mapping) -> Any:
    """Read one volume in place of a list, a mapping of claims to paths, or the name of a claim."""
    if isinstance(node, Mapping):
        read = [_volume(f"{name}:{text_of(path)}") for name, path in node.items()]
        readable = [value for value in read if value]
        if "name" in node.entries:
            return _claim_and_path(node) or [node]
        if not read or readable != read:
            return None
        return Replacement(value=readable, certain=not any(map(_has_claim, readable)))
    text = text_of(node)
    if NAME.fullmatch(text):
        example = {"name": "data", "mountPath": "/data", "persistentVolumeClaim": {"claimName": node}}
        return Replacement(value=[example], certain=False)
    value = _volume(text)
    return value and Replacement(value=[value], certain=not _has_claim(value))


def _claim_and_path(node: Mapping) -> Replacement | None:
    """Read {name: CLAIM, path: /PATH}."""
    name, path = text_of(node.get("name")), text_of(node.get("path"))
    if len(node.entries) != 2 or not NAME.fullmatch(name) or not path.startswith("/"):
        return None
    value = _volume(f"{name}:{path}")
    return Replacement(value=[value], certain=False) if value else None


def mounts(node: Node, spec: Mapping) -> Any:
    """Read paths in place of mounts."""
    paths = node.items if isinstance(node, Sequence) else [node]
    return [{"mountPath": path} for path in paths] if all(map(text_of, paths)) else None


def claim(node: Node, spec: Mapping) -> Any:
    """Read the capacity of a new claim, or the name of an existing one."""
    if isinstance(node, Mapping) and node.entries.keys() in ({"name"}, {"claimName"}):
        node = next(iter(node.entries.values())).value
    elif QUANTITY.fullmatch(text_of(node)):
        return {"size": node}
    if NAME.fullmatch(text_of(node)):
        return Replacement(value={"claimName": node}, field=".persistentVolumeClaim")
    return None


def empty_dir(node: Node, spec: Mapping) -> Any:
    """Read a size limit, or the medium."""
    text = text_of(node)
    if text.lower() in ("memory", "ram", "tmpfs"):
        return {"medium": "Memory"}
    if QUANTITY.fullmatch(text):
        return {"sizeLimit": node}
    return {} if is_true(node) or (isinstance(node, Scalar) and node.value is None) else None


def nfs(node: Node, spec: Mapping) -> Any:
    """Read SERVER:PATH, as for mount."""
    server, _, path = text_of(node).partition(":")
    return {"server": server, "path": path} if server and path.startswith("/") else None


def access_mode(node: Node, spec: Mapping) -> Any:
    """Read a list of one mode, or its abbreviation."""
    if isinstance(node, Sequence) and len(node.items) == 1:
        node = node.items[0]
    return _ACCESS_MODES.get(text_of(node).lower()) or text_of(node) or None


def stored_path(field: str) -> Shape:
    """Return the shape of a path; `true` is the default path on the job's only volume."""

    def shape(node: Node, spec: Mapping) -> Any:
        mounted = spec.get("volumes")
        if is_true(node) and isinstance(mounted, Sequence) and len(mounted.items) == 1:
            return {}
        return {field: node} if text_of(node).startswith("/") else None

    return shape
