"""Schema as one document, for editors."""

from __future__ import annotations

import json
import re
from typing import Any

from trainc.resources import read_text
from trainc.schema.documents import CLUSTER, JOB, KUBERNETES, PATCH, PROJECT, document
from trainc.schema.editor import for_editors
from trainc.schema.expressions import accept_expressions

_FILES = {"job": JOB, "project": PROJECT, "cluster": CLUSTER}
_JOB, _PART = "job.", "part."  # of the types of a job, and of those without required fields
_PREFIX = {KUBERNETES: "kubernetes.", PATCH: "patch."}
_MATRIX = "Matrix"  # whose values are no expressions
_REFERENCE = re.compile(r'"\$ref": "([^"#]*)#/definitions/([^"]+)"')


def published_schema(name: str) -> str:
    """Return the schema of a kind of file, `job`, `project` or `cluster`, or of an output in JSON such as `plan`."""
    return bundled(_FILES[name]) if name in _FILES else read_text("schemas", f"{name}.json")


def bundled(name: str = JOB) -> str:
    """Return the schema of job files, or of another of trainc's files, with all types among its definitions."""
    bundle = _with_prefix(document(name), "")
    definitions: dict[str, Any] = bundle.pop("definitions")
    if name != JOB:
        job = _with_prefix(document(JOB)["definitions"], _JOB)
        definitions |= {_JOB + title: schema for title, schema in job.items()}
        definitions |= {_PART + title: _part(schema) for title, schema in job.items()}
        definitions = _with_parts(definitions)
    for file, prefix in _PREFIX.items():
        types = _with_prefix(document(file)["definitions"], prefix)
        definitions |= {prefix + title: schema for title, schema in types.items()}
    used: set[str] = set()
    queue = [bundle]
    while queue:
        names = {match[2] for match in _REFERENCE.finditer(json.dumps(queue.pop()))} - used
        used |= names
        queue += [definitions[each] for each in names]
    bundle["definitions"] = {each: schema for each, schema in definitions.items() if each in used}
    for_editors(bundle, tuple(_PREFIX.values()))
    of_jobs = ("",) if name == JOB else (_JOB, _PART, *_PREFIX.values()) if name == PROJECT else ()
    for title, schema in bundle["definitions"].items():
        if title.startswith(of_jobs) and title.rpartition(".")[2] != _MATRIX:
            accept_expressions(schema)
    return json.dumps(bundle, indent=2, ensure_ascii=False) + "\n"


def _with_parts(schema: Any) -> Any:
    """Return a schema with references to the parts of a job that it names by `x-part-of`."""
    if isinstance(schema, list):
        return list(map(_with_parts, schema))
    if not isinstance(schema, dict):
        return schema
    keywords = {keyword: _with_parts(inner) for keyword, inner in schema.items()}
    part = keywords.pop("x-part-of", None)
    if part is None:
        return keywords
    return {"$ref": f"#/definitions/{_PART}{part}", "description": schema["description"]}


def _part(schema: Any) -> Any:
    """Return the schema of some fields of a mapping: none is required, but items of lists are whole."""
    if isinstance(schema, list):
        return list(map(_part, schema))
    if not isinstance(schema, dict):
        return schema
    part: dict[str, Any] = {}
    for keyword, inner in schema.items():
        if keyword == "$ref":
            part[keyword] = inner.replace(f"#/definitions/{_JOB}", f"#/definitions/{_PART}")
        elif keyword == "items":
            part[keyword] = inner
        elif keyword not in ("required", "minProperties") or not isinstance(inner, list | int):
            part[keyword] = _part(inner)
    return part


def _with_prefix(schema: Any, prefix: str) -> Any:
    text = _REFERENCE.sub(
        lambda match: f'"$ref": "#/definitions/{_PREFIX.get(match[1], prefix)}{match[2]}"', json.dumps(schema)
    )
    return json.loads(text)
