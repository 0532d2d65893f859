"""Tables of fields: each path exists in the schema of job files, and in the CRD of the system's kind."""

from __future__ import annotations

import json
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from trainc.systems.registry import NAMES, traits

SCHEMAS = Path(__file__).parents[3] / "schemas"
SYSTEMS = [name for name in NAMES if find_spec(f"trainc.systems.{name}.fields")]
# The CRD does not restrict them.
UNRESTRICTED = {"elasticjob": "spec.replicaSpecs."}


def test_operators_kinds_have_tables() -> None:
    assert {"pytorchjob", "mpijob", "elasticjob", "trainjob", "deepspeedjob", "vcjob", "rayjob"} <= set(SYSTEMS)


def has_path(schema: dict[str, Any], node: dict[str, Any], path: list[str]) -> bool:
    """Return whether a value with this path may exist, in one of the alternatives and items of the schema."""
    if "$ref" in node:
        inner: dict[str, Any] = schema
        for step in node["$ref"].removeprefix("#/").split("/"):
            inner = inner[step]
        return has_path(schema, inner, path)
    if not path:
        return True
    for alternative in [each for key in ("anyOf", "oneOf", "allOf") for each in node.get(key, ())]:
        if has_path(schema, alternative, path):
            return True
    if "items" in node:
        return has_path(schema, node["items"], path[1:] if path[0] == "*" else path)
    fields = node.get("properties", {})
    if path[0] in fields:
        return has_path(schema, fields[path[0]], path[1:])
    others = node.get("additionalProperties")
    return isinstance(others, dict) and has_path(schema, others, path[1:])


@pytest.mark.parametrize("name", SYSTEMS)
def test_job_fields_exist(name: str) -> None:
    schema = json.loads((SCHEMAS / "trainingjob.json").read_text())
    fields = import_module(f"trainc.systems.{name}.fields").FIELDS
    assert [job for job in fields if not has_path(schema, schema, ["spec", *job.split(".")])] == []


@pytest.mark.parametrize("name", SYSTEMS)
def test_resource_fields_exist(name: str) -> None:
    own = traits(name)
    schema = json.loads((SCHEMAS / (own.schema or (own.pod_schema or ("",))[0])).read_text())
    fields = import_module(f"trainc.systems.{name}.fields").FIELDS
    paths = [each for each in fields.values() if not each.path.startswith(UNRESTRICTED.get(name, "-"))]
    assert [each.path for each in paths if not has_path(schema, schema, [*each.steps])] == []


def test_a_wrong_path_is_found() -> None:
    schema = json.loads((SCHEMAS / "crds/pytorchjob-kubeflow-v1.json").read_text())
    assert has_path(schema, schema, ["spec", "elasticPolicy", "rdzvBackend"])
    assert not has_path(schema, schema, ["spec", "elasticPolicy", "rdvzBackend"])
