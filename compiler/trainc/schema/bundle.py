"""Schema as one document, for editors."""

from __future__ import annotations

import json
from typing import Any

from trainc.schema.documents import JOB, KUBERNETES, PATCH, document

_PREFIX = {KUBERNETES: "kubernetes.", PATCH: "patch."}


def bundled() -> str:
    """Return the job's schema with the referenced Kubernetes types among its definitions."""
    whole = _localised(document(JOB), "")
    for name, prefix in _PREFIX.items():
        for title, schema in document(name)["definitions"].items():
            whole["definitions"][prefix + title] = _localised(schema, prefix)
    used = _used(whole)
    whole["definitions"] = {name: schema for name, schema in whole["definitions"].items() if name in used}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _localised(value: Any, prefix: str) -> Any:
    if isinstance(value, dict):
        return {
            key: _reference(inner, prefix) if key == "$ref" and isinstance(inner, str) else _localised(inner, prefix)
            for key, inner in value.items()
        }
    return [_localised(inner, prefix) for inner in value] if isinstance(value, list) else value


def _reference(text: str, prefix: str) -> str:
    name, _, title = text.partition("#/definitions/")
    return f"#/definitions/{_PREFIX[name] if name else prefix}{title}"


def _used(whole: dict[str, Any]) -> set[str]:
    names: set[str] = set()
    todo: list[Any] = [{key: value for key, value in whole.items() if key != "definitions"}]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            reference = value.get("$ref")
            if isinstance(reference, str):
                name = reference.removeprefix("#/definitions/")
                if name not in names:
                    names.add(name)
                    todo.append(whole["definitions"][name])
            todo.extend(value.values())
        elif isinstance(value, list):
            todo.extend(value)
    return names
