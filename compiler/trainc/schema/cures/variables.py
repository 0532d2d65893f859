"""Shapes of variables from Secrets, ConfigMaps and fields of the pod."""

from __future__ import annotations

from typing import Any

from trainc.schema.cures.shape import NAME, Replacement, text_of
from trainc.source.node import Mapping, Node, Scalar, Sequence

_REFERENCES = ("secretKeyRef", "configMapKeyRef", "fieldRef", "resourceFieldRef", "fileKeyRef")
_SOURCES = {
    **dict.fromkeys(("secret", "secretRef", "secretName", "fromSecret", "secretKeyRef"), "secretKeyRef"),
    **dict.fromkeys(("configMap", "configMapRef", "configMapName", "fromConfigMap"), "configMapKeyRef"),
    "configMapKeyRef": "configMapKeyRef",
}
_PATHS = {"fieldRef": "fieldPath", "field": "fieldPath", "fieldPath": "fieldPath"}
_FROM = ("valueFrom", "from")


def read_named(name: str, node: Node) -> Any:
    """Read the source of a variable; return it with the name, as an item of `env`."""
    read = read_source(name, node)
    if isinstance(read, Replacement):
        return read.replace(value={"name": name, **read.value})
    return {"name": name, **read} if read else None


def read_source(variable: str, node: Node) -> Any:
    """Read the source of a variable, with or without `valueFrom`; None if it isn't one.

    A Secret without a key is read with the variable's name, which is often the same.
    """
    entries = dict(node.items()) if isinstance(node, Mapping) else {}
    key = entries.pop("key", None) if len(entries) == 2 else None
    if len(entries) != 1:
        return None
    name, value = next(iter(entries.items()))
    if name in _SOURCES and (text_of(value) or key):
        return _key_reference(_SOURCES[name], value, key, variable)
    return _read_single_field(variable, name, value, node) if key is None else None


def _read_single_field(variable: str, name: str, value: Node, node: Node) -> Any:
    """Read a source that has one field, `name`, with a value."""
    if name in _FROM and isinstance(value, Mapping):
        return read_source(variable, value) or ({"valueFrom": value} if name == "valueFrom" else None)
    if name == "from":
        return _key_reference("secretKeyRef", value, None, variable)
    if name in _PATHS and isinstance(value, Scalar):
        return {"valueFrom": {"fieldRef": {"fieldPath": value}}}
    if name in _REFERENCES and isinstance(value, Mapping):
        return {"valueFrom": node}
    if name in _SOURCES and isinstance(value, Mapping):
        return _key_reference(_SOURCES[name], value.get("name"), value.get("key"), variable)
    return None


def _key_reference(kind: str, name: Node | None, key: Node | None, variable: str) -> Any:
    if not NAME.fullmatch(text_of(name)):
        return None
    value = {"valueFrom": {kind: {"name": name, "key": key or variable}}}
    what = "secret" if kind == "secretKeyRef" else "ConfigMap"
    return value if key else Replacement(value=value, note=f"if `{variable}` is the key in the {what}")


def read_secret_name(node: Node, spec: Any) -> Any:
    """Read the name of a Secret whose keys all become variables."""
    if not NAME.fullmatch(text_of(node)):
        return None
    return Replacement(value={"secretRef": {"name": node}}, note="or `configMapRef` for a ConfigMap")


def read_secret_names(node: Node, spec: Any) -> Any:
    """Read the name of a Secret, or a list of names."""
    items = node.items if isinstance(node, Sequence) else [node]
    if not items or not all(NAME.fullmatch(text_of(item)) for item in items):
        return None
    return Replacement(value=[{"secretRef": {"name": item}} for item in items], note="or `configMapRef` for ConfigMaps")
