"""Titles and Markdown for the hover texts, completions and messages of editors.

yaml-language-server falls back to the title of an outer schema, once for each branch of an anyOf.
"""

from __future__ import annotations

import json
import re
from typing import Any

from trainc.schema.fields import WORDS, kind

_URL = re.compile(r"https://[^\s`]*[^\s`.,;:)]")
_CODE_OR_URL = re.compile(rf"(`[^`]*`|{_URL.pattern})")
_MARKUP = re.compile(r"[\\*_{}\[\]#+!<>|]")


def add_titles(schema: dict[str, Any]) -> None:
    """Title the definitions with their type and all fields with name and type; add the descriptions in Markdown."""
    definitions = schema["definitions"]
    for name, definition in definitions.items():
        definition["title"] = _type_name(name)
    for name, definition in definitions.items():
        _walk(_type_name(name), definition, definitions)
    _walk("", schema, definitions)


def _walk(name: str, schema: Any, definitions: dict[str, Any]) -> None:
    """Title the fields and branches of a schema, and of those inside; the name is that of its field."""
    if not isinstance(schema, dict):
        return
    for branch in schema.get("anyOf", ()):
        _title_branch(name, branch, schema, definitions)
        _walk(name, branch, definitions)
    for keyword in ("items", "additionalProperties"):
        _walk("value", schema.get(keyword), definitions)
    for field, inner in schema.get("properties", {}).items():
        if isinstance(inner, dict) and not _is_mapping(inner, definitions):  # messages show the title of a mapping
            inner["title"] = _join(field, _kind(inner, definitions))
        _walk(field, inner, definitions)
    description = schema.get("description")
    # Without it, the server takes the one of the definition that the schema refers to.
    if isinstance(description, str) and ("$ref" in schema or _CODE_OR_URL.search(description)):
        schema["markdownDescription"] = _markdown(description)


def _title_branch(name: str, branch: dict[str, Any], outer: dict[str, Any], definitions: dict[str, Any]) -> None:
    """Title a branch of an anyOf; the hover text shows all branches if their titles are the same."""
    if not _is_mapping(branch, definitions):
        message = branch.get("patternErrorMessage", "").partition(":")[0]
        branch["title"] = _join(name, message or _kind(branch, definitions))
        if "$ref" in branch and "description" in outer:
            branch["description"] = outer["description"]  # in place of that of the definition


def _join(name: str, kind: str) -> str:
    return f"{name}: {kind}" if kind not in ("", name) else name


def _is_mapping(schema: dict[str, Any], definitions: dict[str, Any]) -> bool:
    """Return whether a schema refers to a mapping, whose definition has a title."""
    return "$ref" in schema and _resolved(schema, definitions).get("type") == "object"


def _kind(schema: dict[str, Any], definitions: dict[str, Any]) -> str:
    """Return the type in plain text, of an enumeration its values."""
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(branch, definitions) for branch in schema["anyOf"]))
    values = [schema["const"]] if "const" in schema else schema.get("enum", [])
    if values:
        names = [value if isinstance(value, str) else json.dumps(value) for value in values if value != ""]
        return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    target = _resolved(schema, definitions)
    if target is not schema and target["title"] not in WORDS.values() and target.get("type") != "object":
        return _kind(target, definitions)
    return kind(schema, _type_name).replace("`", "")


def _resolved(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    resolved: dict[str, Any] = definitions.get(schema.get("$ref", "").removeprefix("#/definitions/"), schema)
    return resolved


def _type_name(name: str) -> str:
    """Return the name of a definition's type; a type of Kubernetes has a prefix."""
    short = name.rpartition(".")[2]
    return WORDS.get(short, short)


def _markdown(text: str) -> str:
    """Return a description in Markdown: code and links as they are, everything else escaped."""
    return "".join(
        part if part.startswith("`") else f"<{part}>" if _URL.fullmatch(part) else _MARKUP.sub(r"\\\g<0>", part)
        for part in _CODE_OR_URL.split(text)
    )
