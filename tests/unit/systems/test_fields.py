"""Fields of systems by those of job files: each exists in the schema of job files, and in that of the system's kind."""

from __future__ import annotations

import json
from functools import cache, reduce
from importlib import import_module
from importlib.util import find_spec
from operator import getitem
from pathlib import Path
from typing import Any

import pytest

from trainc.systems.registry import NAMES, READABLE, traits

SCHEMAS = Path(__file__).parents[3] / "schemas"
SYSTEMS = [name for name in NAMES if find_spec(f"trainc.systems.{name}.fields")]
# The CRD does not restrict them.
UNRESTRICTED = {"elasticjob": "spec.replicaSpecs."}
# Names in messages about files of each system. Those of an MPIJob's containers are relative.
NAMES_IN_MESSAGES: dict[str, dict[str, str]] = {
    each.name: getattr(each.part("reader"), "NAMES", {}) for each in READABLE
}
NAMES_IN_MESSAGES["mpijob"] = {
    job: path for job, path in NAMES_IN_MESSAGES["mpijob"].items() if path.startswith("spec.")
}
WITHOUT_SCHEMA = ("pytorchtrainingjob",)


def test_operators_kinds_have_tables() -> None:
    assert {"pytorchjob", "mpijob", "elasticjob", "trainjob", "deepspeedjob", "vcjob", "rayjob"} <= set(SYSTEMS)


@cache
def load(file: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((SCHEMAS / file).read_text())
    return schema


def has_path(schema: dict[str, Any], node: dict[str, Any], path: list[str]) -> bool:
    """Return whether a value with this path may exist, in one of the alternatives and items of the schema."""
    if "$ref" in node:
        file, _, pointer = node["$ref"].partition("#/")
        schema = load(file) if file else schema
        return has_path(schema, reduce(getitem, pointer.split("/"), schema), path)
    if not path:
        return True
    for alternative in [each for key in ("anyOf", "oneOf", "allOf") for each in node.get(key, ())]:
        if has_path(schema, alternative, path):
            return True
    if "items" in node:
        return has_path(schema, node["items"], path)
    fields = node.get("properties", {})
    if path[0] in fields:
        return has_path(schema, fields[path[0]], path[1:])
    others = node.get("additionalProperties")
    return isinstance(others, dict) and has_path(schema, others, path[1:])


@pytest.mark.parametrize("name", NAMES_IN_MESSAGES)
def test_job_fields_exist(name: str) -> None:
    schema = load("trainingjob.json")
    assert [job for job in NAMES_IN_MESSAGES[name] if not has_path(schema, schema, ["spec", *job.split(".")])] == []


@pytest.mark.parametrize("name", [name for name in NAMES_IN_MESSAGES if name not in WITHOUT_SCHEMA])
def test_resource_fields_exist(name: str) -> None:
    own = traits(name)
    schema = load(own.schema or (own.pod_schema or ("",))[0])
    paths = [each for each in NAMES_IN_MESSAGES[name].values() if not each.startswith(UNRESTRICTED.get(name, "-"))]
    assert [each for each in paths if not has_path(schema, schema, each.replace("[0]", "").split("."))] == []


@pytest.mark.parametrize("name", SYSTEMS)
def test_messages_have_the_names_of_the_table(name: str) -> None:
    fields = import_module(f"trainc.systems.{name}.fields").FIELDS
    assert {job: field.path for job, field in fields.items()}.items() <= NAMES_IN_MESSAGES[name].items()


def test_a_wrong_path_is_found() -> None:
    schema = load("crds/pytorchjob-kubeflow-v1.json")
    assert has_path(schema, schema, ["spec", "elasticPolicy", "rdzvBackend"])
    assert not has_path(schema, schema, ["spec", "elasticPolicy", "rdvzBackend"])
