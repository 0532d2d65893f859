"""Access to fields of a manifest whose types may be wrong."""

from __future__ import annotations

from typing import Any

from trainc.well_known import APPLIED

Object = dict[str, Any]
Path = tuple[str | int, ...]
# Metadata that the API server sets.
_SERVER_SET = ("uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink")


def at(value: Any, *path: str | int) -> Any:
    """Return the value at a path, or None."""
    for step in path:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and step < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def mapping(value: Any, *path: str | int) -> Object:
    """Return the mapping at a path, or an empty one."""
    field = at(value, *path)
    return field if isinstance(field, dict) else {}


def listed(value: Any, *path: str | int) -> list[Any]:
    """Return the list at a path, or an empty one."""
    field = at(value, *path)
    return field if isinstance(field, list) else []


def items(value: Any, *path: str | int) -> list[Object]:
    """Return the mappings of the list at a path."""
    return [item for item in listed(value, *path) if isinstance(item, dict)]


def text(value: Any, *path: str | int) -> str:
    """Return the string at a path, or an empty one; other values as strings."""
    field = at(value, *path)
    return field if isinstance(field, str) else "" if field is None else str(field)


def identity(manifest: Object) -> tuple[str, str]:
    """Return the kind and the name of an object."""
    return text(manifest, "kind"), text(manifest, "metadata", "name")


def api_group(manifest: Object) -> str:
    """Return the API group of an object, without the version; empty for the core group."""
    return text(manifest, "apiVersion").rpartition("/")[0]


def with_name(manifest: Object, name: str) -> Object:
    """Set the name of an object that has generateName alone."""
    metadata = mapping(manifest, "metadata")
    if text(metadata, "name") or not text(metadata, "generateName"):
        return manifest
    return {**manifest, "metadata": {**metadata, "name": name}}


def with_namespace(manifest: Object, namespace: str | None) -> Object:
    """Set the namespace, if there is any, as `kubectl apply -n` does, unless the object has one."""
    if not namespace or text(manifest, "metadata", "namespace"):
        return manifest
    return {**manifest, "metadata": {**mapping(manifest, "metadata"), "namespace": namespace}}


def number(value: Any, *path: str | int) -> int | None:
    """Return the whole number at a path, or None."""
    field = at(value, *path)
    return field if isinstance(field, int) and not isinstance(field, bool) else None


def count(value: Any, *path: str | int) -> int:
    """Return the whole number at a path, of pods or the like; without one 1, the default of the API."""
    whole = number(value, *path)
    return 1 if whole is None else whole


def without_server_fields(resource: Object) -> Object:
    """Return an object as it was applied, without what the API server and kubectl add to it."""
    metadata = {name: value for name, value in mapping(resource, "metadata").items() if name not in _SERVER_SET}
    annotations = {name: value for name, value in mapping(metadata, "annotations").items() if name != APPLIED}
    if annotations:
        metadata["annotations"] = annotations
    else:
        metadata.pop("annotations", None)
    return {**{name: value for name, value in resource.items() if name != "status"}, "metadata": metadata}
