"""Expressions of a sweep in the schema of editors: `workers: ${{ matrix.workers }}` is no wrong type.

The compiler checks the values that they have. Enumerations and lists don't accept them.
"""

from __future__ import annotations

from typing import Any

_EXPRESSION = r"\$\{\{.*\}\}"
_SCALARS = ("integer", "number", "boolean")
_INSIDE, _SINGLE = ("properties", "patternProperties", "definitions"), ("items", "additionalProperties")


def accept_expressions(schema: dict[str, Any]) -> None:
    """Let numbers, booleans and strings of a form also be expressions, in a schema and in those inside."""
    for keyword in _INSIDE:
        for inner in schema.get(keyword, {}).values():
            _accept_inside(inner)
    for keyword in _SINGLE:
        _accept_inside(schema.get(keyword))
    branches = schema.get("anyOf", [])
    chosen = next((each for each in branches if "pattern" in each), None)  # one is enough: hover texts show all
    for branch in branches:
        if branch is chosen or not {*_INSIDE, *_SINGLE}.isdisjoint(branch):
            accept_expressions(branch)
    if chosen is None and any(each.get("type") in _SCALARS for each in branches):
        branches.append({"type": "string", "pattern": f"^{_EXPRESSION}$", "title": "expression"})
    types = schema.get("type")
    if types in _SCALARS and "enum" not in schema and "const" not in schema:
        schema["type"] = [types, "string"]
        schema["pattern"] = f"^{_EXPRESSION}$"
        schema["patternErrorMessage"] = f'Incorrect type. Expected "{types}".'  # as for other values
    elif "pattern" in schema:
        schema["pattern"] = f"{schema['pattern']}|{_EXPRESSION}"  # part of a text


def _accept_inside(schema: Any) -> None:
    if isinstance(schema, dict):
        accept_expressions(schema)
