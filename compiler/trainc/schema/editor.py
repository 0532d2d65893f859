"""Schema for editors: the same jobs are valid, but language servers complete, describe and explain more of it.

yaml-language-server completes no field of a mapping that may have only one, inserts every field that has a default, and
reports a missing choice as the first of the choices.
"""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

from trainc.schema.titles import add_titles

_REFERENCE = "https://kubernetes.io/docs/reference/kubernetes-api/"


def for_editors(schema: dict[str, Any], kubernetes: tuple[str, ...]) -> None:
    """Change the job's schema in place; the names of Kubernetes' types start with one of `kubernetes`."""
    for name, definition in schema["definitions"].items():
        _rewrite(definition)
        if name.startswith(kubernetes):
            _describe(definition, name.rpartition(".")[2])
    add_titles(schema)


def _rewrite(schema: Any) -> None:
    """Rewrite a schema and those inside."""
    if isinstance(schema, list):
        for item in schema:
            _rewrite(item)
        return
    if not isinstance(schema, dict):
        return
    for inner in schema.values():
        _rewrite(inner)
    _separate_branches(schema)
    properties = schema.get("properties")
    if isinstance(properties, dict):
        for field in properties.values():
            _move_default(field)
        if schema.get("maxProperties") == 1:
            _require_one(schema, list(properties))
        for rule in [rule for rule in schema.get("allOf", ()) if list(rule) == ["oneOf"]]:
            schema["allOf"].remove(rule)
            _require_one(schema, [branch["required"][0] for branch in rule["oneOf"]])


def _separate_branches(schema: dict[str, Any]) -> None:
    """Let at most one branch of an anyOf accept a value: hover texts show all that do."""
    branches = schema.get("anyOf", ())
    if [branch.get("type") for branch in branches] in (["string", "number"], ["integer", "string"]):
        del schema["anyOf"]  # their keywords apply to one type each
        schema |= {keyword: value for branch in branches for keyword, value in branch.items()}
        schema["type"] = [branch["type"] for branch in branches]
        return
    values = [value for branch in branches for value in branch.get("enum", ())]
    for branch in branches:
        if values and "pattern" in branch:
            branch["not"] = {"enum": values}


def _move_default(field: Any) -> None:
    """Write the default of a field into its description: as a keyword, editors would insert it into the file."""
    if isinstance(field, dict) and "default" in field and "description" in field:
        default = json.dumps(field.pop("default"), ensure_ascii=False)
        field["description"] = f"{field['description']} Default: `{default}`."


def _require_one(schema: dict[str, Any], names: list[str]) -> None:
    """Require exactly one of the fields, with a message that lists all; `errorMessage` is the language server's."""
    schema.pop("maxProperties", None)
    schema.pop("minProperties", None)
    message = f"Exactly one of {', '.join(names)} is required."
    none = {"not": {"anyOf": [{"required": [name]} for name in names]}}
    rules: list[dict[str, Any]] = [{"if": none, "then": {"required": [names[0]], "errorMessage": message}}]
    rules += [
        {"if": {"required": [first]}, "then": {"properties": {second: False}, "errorMessage": message}}
        for first, second in combinations(names, 2)
    ]
    schema["allOf"] = [*schema.get("allOf", ()), *rules]


def _describe(schema: dict[str, Any], kind: str) -> None:
    """Describe the fields of a type of Kubernetes by a link: https://kubernetes.io/docs/reference/kubernetes-api/."""
    for name, field in schema.get("properties", {}).items():
        if isinstance(field, dict) and "description" not in field and not name.startswith("$"):
            field["description"] = f"`{name}` of Kubernetes' {kind}: {_REFERENCE}"
