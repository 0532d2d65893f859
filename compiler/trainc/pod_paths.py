"""Paths and names in a pod's spec that the API server rejects.

https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/apis/core/validation/validation.go
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.typenames import Any

# Field, its value and the fault.
Problem = tuple[str, str, str]

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_FILES = ("configMap", "secret", "downwardAPI")
_SUB_PATHS = ("subPath", "subPathExpr")
_PROJECTED = {
    "serviceAccountToken": ("path",),
    "clusterTrustBundle": ("path",),
    "podCertificate": ("credentialBundlePath", "keyPath", "certificateChainPath"),
}


def invalid_paths(spec: Any) -> Iterator[Problem]:
    """Yield the invalid paths."""
    for volume in _items(spec, "volumes"):
        host_path = _text(volume.get("hostPath"), "path")
        if ".." in host_path.split("/"):
            yield "path", host_path, "contains `..`"
        for source in (volume, *_items(volume.get("projected"), "sources")):
            for kind, content in source.items():
                for item in _items(content, "items") if kind in _FILES else ():
                    yield from _file("path", item)
                for field in _PROJECTED.get(kind, ()):
                    yield from _file(field, content)
    for container in (*_items(spec, "initContainers"), *_items(spec, "containers")):
        for mount in _items(container, "volumeMounts"):
            if ":" in _text(mount, "mountPath"):
                yield "mountPath", _text(mount, "mountPath"), "contains a colon"
            for field in _SUB_PATHS:
                if field in mount:
                    yield from _descending(field, mount)
            if _text(mount, "subPath") and _text(mount, "subPathExpr"):
                yield "subPathExpr", _text(mount, "subPathExpr"), "is set together with `subPath`"


def invalid_names(spec: Any) -> Iterator[Problem]:
    """Yield the names of volumes and containers that are not DNS labels."""
    for item in [*_items(spec, "volumes"), *_items(spec, "initContainers"), *_items(spec, "containers")]:
        if not _LABEL.fullmatch(_text(item, "name")):
            yield "name", _text(item, "name"), "is not a DNS label"


def _file(field: str, item: Any) -> Iterator[Problem]:
    yield from _descending(field, item)
    value = _text(item, field)
    if value.startswith("..") and value.partition("/")[0] != "..":
        yield field, value, "starts with `..`"


def _descending(field: str, item: Any) -> Iterator[Problem]:
    value = _text(item, field)
    if value.startswith("/"):
        yield field, value, "is absolute"
    if ".." in value.split("/"):
        yield field, value, "contains `..`"


def _items(value: Any, field: str) -> list[dict[str, Any]]:
    items = value.get(field) if isinstance(value, dict) else None
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list | tuple) else []


def _text(value: Any, field: str) -> str:
    text = value.get(field) if isinstance(value, dict) else None
    return text if isinstance(text, str) else ""
