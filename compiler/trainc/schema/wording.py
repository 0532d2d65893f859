"""Descriptions of schemas and values for messages."""

from __future__ import annotations

import json
import re
from typing import Any

from trainc.source.node import Mapping, Node, Scalar, Sequence, resolve

_TYPES = {
    "object": "a mapping",
    "array": "a list",
    "string": "a string",
    "boolean": "true or false",
    "null": "nothing",
    "number": "a number",
    "integer": "a whole number",
}
_ESCAPES = str.maketrans({"\n": "\\n", "\r": "\\r", "\t": "\\t"})
_BOUNDS = (
    ("minimum", "at least {}"),
    ("maximum", "at most {}"),
    ("exclusiveMinimum", "above {}"),
    ("minLength", "at least {} character"),
    ("maxLength", "at most {} characters"),
    ("minItems", "at least {} item"),
    ("pattern", "matching {}"),
)
# Strings that need no quotes in a flow collection.
_PLAIN = re.compile(r"(--?|\.{0,2}/)?[A-Za-z_][\w./=@%+$()-]*|\d+(\.\d+)?[A-Za-z]+")


def accepts_quantity(schema: dict[str, Any]) -> bool:
    """Return whether a schema accepts Kubernetes' quantities, among others."""
    return _is_quantity(schema) or any(map(accepts_quantity, schema.get("anyOf", ())))


def _is_quantity(schema: dict[str, Any]) -> bool:
    """Return whether a schema is that of Kubernetes' quantities."""
    patterns = [str(branch.get("pattern")) for branch in (schema, *schema.get("anyOf", ()))]
    return schema.get("$ref", "").endswith("/Quantity") or any("KMGTPE" in pattern for pattern in patterns)


def types_of(schema: dict[str, Any]) -> list[str]:
    """Return the types that a schema accepts, in its order. Those of `$ref` are unknown."""
    kinds = schema.get("type", [])
    nested = [kind for branch in schema.get("anyOf", ()) for kind in types_of(branch)]
    return [*([kinds] if isinstance(kinds, str) else kinds), *nested]


def described(schema: dict[str, Any]) -> str:
    """Describe a schema in a few words."""
    if _is_quantity(schema):
        return "a quantity like 500m, 2 or 16Gi"
    if "anyOf" in schema:
        # null removes a field in a patch, which is not helpful as an alternative.
        branches = [branch for branch in schema["anyOf"] if branch.get("type") != "null"]
        return " or ".join(filter(None, (described(branch) for branch in branches)))
    if "patternErrorMessage" in schema:
        words, length = str(schema["patternErrorMessage"]), schema.get("maxLength")
        return words if length is None or f"{length} characters" in words else f"{words}, at most {length} characters"
    if "const" in schema:
        return str(schema["const"]).lower() if isinstance(schema["const"], bool) else f"`{schema['const']}`"
    if "enum" in schema:
        return "one of " + ", ".join(str(value) for value in schema["enum"] if value != "")  # which means the default
    kinds = schema.get("type", [])
    words = " or ".join(_TYPES[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds))
    if schema.get("maxProperties") == 1 and "properties" in schema:
        words += " with one of " + ", ".join(schema["properties"])
    bounds = [text.format(schema[keyword]) for keyword, text in _BOUNDS if keyword in schema]
    return ", ".join(filter(None, [words, *bounds]))


def shown(node: Node) -> str:
    """Describe a value, shortened."""
    if isinstance(node, Mapping):
        return "a mapping" if node.entries else "an empty mapping"
    if isinstance(node, Sequence):
        return "a list" if node.items else "an empty list"
    if isinstance(node, Scalar) and isinstance(node.value, str):
        text = node.value if len(node.value) <= 60 else node.value[:57] + "…"
        return f'the string "{text.translate(_ESCAPES)}"'
    return node.text or "empty"


def flow(node: Node) -> str:
    """Return a node as YAML on one line; numbers as they are typed."""
    if isinstance(node, Mapping):
        return "{" + ", ".join(f"{_string(key)}: {flow(value)}" for key, value in node.items()) + "}"
    if isinstance(node, Sequence):
        return "[" + ", ".join(map(flow, node.items)) + "]"
    return _string(node.value) if isinstance(node.value, str) else node.text or "null"


def _string(text: str) -> str:
    is_plain = _PLAIN.fullmatch(text) and isinstance(resolve(text), str)
    return text if is_plain else json.dumps(text, ensure_ascii=False)
