"""The schema of project files as `trainc schema project` prints it for editors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from tests.support.json_schema import references
from trainc.cli.commands.init import starter_job
from trainc.schema.bundle import bundled
from trainc.schema.documents import PROJECT
from trainc.source.load import load
from trainc.source.node import plain
from trainc.span import Source

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = json.loads(bundled(PROJECT))
HEAD = {"apiVersion": "trainc.dev/v1alpha1", "kind": "Project"}
# What the schema can't find: rules about other values, names of systems, and versions.
BEYOND = {
    *("unknown-backend", "unknown-backend-of-a-rule", "unknown-launcher", "unknown-code", "default-name"),
    *("version-of-an-unknown-controller", "version-that-is-too-old", "until-is-no-day-of-the-calendar"),
    *("jobs-outside", "jobs-absolute", "jobs-is-the-project-file", "manifests-outside", "requirement-is-not-satisfied"),
    *("duplicate-key", "syntax", "two-documents", "empty"),
}


def valid(document: Any) -> bool:
    return bool(Draft7Validator(SCHEMA).is_valid(document))


def documents(text: str) -> list[Any]:
    return [plain(each) for each in load(Source("trainc.yaml", text))[0]]


def own_fields() -> Iterator[tuple[str, Any]]:
    """Yield the fields of the project file itself, without those of jobs and Kubernetes."""
    own = {"": SCHEMA, **{name: each for name, each in SCHEMA["definitions"].items() if "." not in name}}
    for name, schema in own.items():
        yield from ((f"{name}.{field}", inner) for field, inner in schema.get("properties", {}).items())


def test_the_schema_is_valid_and_has_all_its_definitions() -> None:
    Draft7Validator.check_schema(SCHEMA)
    assert references(SCHEMA) == {f"#/definitions/{name}" for name in SCHEMA["definitions"]}


@pytest.mark.parametrize(
    ("name", "schema"), list(own_fields()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_every_field_has_a_description_and_a_title_or_a_type_with_one(name: str, schema: Any) -> None:
    target = SCHEMA["definitions"].get(schema.get("$ref", "").removeprefix("#/definitions/"), {})
    assert schema.get("description") or target.get("description")
    assert schema.get("title") or target.get("title")


@pytest.mark.parametrize(
    "text", [starter_job.PROJECT, (ROOT / "examples/project/trainc.yaml").read_text()], ids=["starter", "example"]
)
def test_it_accepts_valid_project_files(text: str) -> None:
    assert all(map(valid, documents(text)))


@pytest.mark.parametrize(
    "file",
    [file for file in sorted((ROOT / "tests/acceptance/bad_projects").glob("*.yaml")) if file.stem not in BEYOND],
    ids=lambda file: file.stem,
)
def test_it_rejects_what_trainc_rejects_by_the_schema(file: Path) -> None:
    assert not all(map(valid, documents(file.read_text())))


@pytest.mark.parametrize(
    ("defaults", "is_valid"),
    [
        ({"metadata": {"namespace": "a"}}, True),
        ({"spec": {"launch": {"torchrun": {}}}}, True),
        ({"spec": {"resources": {"gpu": 8}, "workers": 2}}, True),
        ({"spec": {"workers": "two"}}, False),
        ({"spec": {"wrkers": 2}}, False),
        ({"spec": {"volumes": [{"mountPath": "/data"}]}}, False),  # items of lists are whole
    ],
)
def test_defaults_are_fields_of_a_job_none_of_which_is_required(defaults: Any, is_valid: bool) -> None:
    assert valid({**HEAD, "defaults": defaults}) == is_valid
