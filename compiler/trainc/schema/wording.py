"""Words for schema errors: what was expected, what was found, what was probably meant."""

from __future__ import annotations

import difflib
import re
from typing import Any

from trainc.source.node import Mapping, Node, Scalar, Sequence

_TYPES = {
    "object": "a mapping",
    "array": "a list",
    "string": "a string",
    "boolean": "true or false",
    "null": "nothing",
    "number": "a number",
    "integer": "a whole number",
}
_BOUNDS = (
    ("minimum", "at least {}"),
    ("maximum", "at most {}"),
    ("exclusiveMinimum", "above {}"),
    ("maxLength", "at most {} characters"),
    ("minItems", "at least {} item"),
    ("pattern", "matching {}"),
)
# YAML 1.1's booleans, which YAML 1.2 reads as strings.
_SWITCHES = {"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}
# What people write for a binary unit: GB, Gb, gi, GiB, "16 Gi", Gigabyte.
_UNIT = re.compile(r"\s*([0-9.]+)\s*([kKmMgGtTpP])(?:i?[bB]?|ig|igabytes?|egabytes?|era(?:bytes?)?)\s*")


def described(schema: dict[str, Any]) -> str:
    """A schema in a few words."""
    if _is_quantity(schema):
        return "a quantity like 500m, 2 or 16Gi"
    if "anyOf" in schema:
        # That null removes a field in a patch is no news to one who wrote something else.
        branches = [branch for branch in schema["anyOf"] if branch.get("type") != "null"]
        return " or ".join(filter(None, (described(branch) for branch in branches)))
    if "patternErrorMessage" in schema:
        return str(schema["patternErrorMessage"])
    if "const" in schema:
        return str(schema["const"]).lower() if isinstance(schema["const"], bool) else f"`{schema['const']}`"
    if "enum" in schema:
        return "one of " + ", ".join(str(value) for value in schema["enum"])
    kinds = schema.get("type", [])
    words = " or ".join(_TYPES[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds))
    bounds = [text.format(schema[keyword]) for keyword, text in _BOUNDS if keyword in schema]
    return ", ".join(filter(None, [words, *bounds]))


def _is_quantity(schema: dict[str, Any]) -> bool:
    if "KMGTPE" in str(schema.get("pattern")) or schema.get("$ref", "").endswith("/Quantity"):
        return True
    return any("KMGTPE" in str(branch.get("pattern")) for branch in schema.get("anyOf", ()))


def shown(node: Node) -> str:
    """What stands in the file, shortened."""
    if isinstance(node, Mapping):
        return "a mapping"
    if isinstance(node, Sequence):
        return "a list"
    if isinstance(node, Scalar) and isinstance(node.value, str):
        text = node.value if len(node.value) <= 60 else node.value[:57] + "…"
        for character, escape in (("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
            text = text.replace(character, escape)
        return f'the string "{text}"'
    return node.text or "nothing"


def nearest(word: str, known: list[str]) -> str | None:
    """The known word that was probably meant."""
    folded = {name.lower().replace("_", "").replace("-", ""): name for name in known}
    same = folded.get(word.lower().replace("_", "").replace("-", ""))
    if same:
        return same
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.7)
    return close[0] if close else None


def intended_value(node: Node, wanted: str) -> str | None:
    """What was probably meant by a value of the wrong type."""
    if not isinstance(node, Scalar) or node.value is None:
        return None
    if isinstance(node.value, str):
        word = node.value.lower()
        if "true or false" in wanted and word in _SWITCHES:
            return f"did you mean {_SWITCHES[word]}?"
        if "number" in wanted and word.strip().lstrip("-").isdigit():
            return "leave the quotes out"
    elif wanted.startswith(("a string", "a label's value")):
        return f'did you mean "{node.text}"?'
    return f"did you mean [{node.text}]?" if wanted.startswith("a list") else None


def quantity_hint(text: str) -> str | None:
    """`16GB` → did you mean 16Gi."""
    match = _UNIT.fullmatch(text)
    if not match:
        return None
    unit = match[2].upper() + "i"
    return f"did you mean {match[1]}{unit}?"
