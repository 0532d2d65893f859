"""Expressions of a sweep in the schema for editors: `workers: ${{ matrix.n }}` becomes a number."""

from __future__ import annotations

from typing import Any

_EXPRESSION = r"\$\{\{.*\}\}"  # part of a text, but the whole of a number
_TYPES = ("integer", "number", "boolean")


def accept_expressions(schema: Any) -> None:
    """Let numbers, booleans and strings with a pattern be or have expressions, in a schema and those inside, in place.

    A schema can't say that the file has a `matrix`: `trainc check` reports variables without one.
    """
    if isinstance(schema, list):
        for item in schema:
            accept_expressions(item)
        return
    if not isinstance(schema, dict):
        return
    for keyword, inner in schema.items():
        if keyword not in ("examples", "default", "enum", "const"):
            accept_expressions(inner)
    if isinstance(schema.get("pattern"), str):
        schema["pattern"] = f"{_EXPRESSION}|{schema['pattern']}"
    elif schema.get("type") in _TYPES:
        schema["type"] = [schema["type"], "string"]
        schema["pattern"] = f"^{_EXPRESSION}$"
        schema.setdefault("patternErrorMessage", f"{schema['type'][0]} expected")
