"""Every back end is registered, documented and has golden files; its unsupported fields exist in the schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.command import trainc
from tests.support.examples import EXAMPLES, accepted
from tests.support.string_slots import DOCUMENTS, JOB, resolve_reference
from trainc.systems.registry import DEFAULT, NAMES, PARTS, READABLE, find, of_kind, traits
from trainc.systems.shared.objects.backend import backend
from trainc.systems.shared.objects.base import Backend

ROOT = Path(__file__).resolve().parents[3]
SYSTEMS = ROOT / "compiler/trainc/systems"


def test_folders_have_the_parts_that_the_registry_lists() -> None:
    folders = {path.parent for path in SYSTEMS.glob("*/__init__.py")} - {SYSTEMS / "shared"}
    existing = {
        folder.name: {part for part in PARTS if (folder / part).is_dir() or (folder / f"{part}.py").exists()}
        for folder in folders
    }
    without_kind = {"appwrapper", "tlaunchrun", "command"}  # a wrapper of jobs, and command lines
    listed = {name: set(find(name).parts) for name in existing if name not in without_kind}
    assert listed == {name: parts for name, parts in existing.items() if name not in without_kind}


def test_names_and_kinds_of_systems_are_those_of_their_traits() -> None:
    for system in (*READABLE, *map(find, (*NAMES, "deployment"))):
        assert (system.traits.name, system.traits.kind) == (system.name, system.kind)
        assert of_kind(system.kind, system.traits.api_versions[0]) is system


@pytest.mark.parametrize(
    ("version", "name"),
    [
        ("", "job"),
        ("batch/v1", "job"),
        ("batch.volcano.sh/v1alpha1", "vcjob"),
        ("batch.volcano.sh/v2", "vcjob"),
        ("batch.example.com/v1", "job"),
    ],
)
def test_systems_with_the_same_kind_are_told_apart_by_the_api_group(version: str, name: str) -> None:
    system = of_kind("job", version)
    assert system is not None
    assert system.name == name


def test_back_ends_are_found_by_name() -> None:
    for name in NAMES:
        instance = backend(name)
        assert isinstance(instance, Backend)
        assert (instance.traits.name, type(instance).__module__) == (name, f"trainc.systems.{name}.objects")


def test_an_unknown_name_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        backend("mpi")


def test_unknown_names_are_reported_with_the_available_ones() -> None:
    result = trainc("check", "job.yaml", "--backend", "slurm")
    assert result.code == 2
    assert f"`slurm` is not a back end; available: {', '.join(NAMES)}" in " ".join(result.err.split())


def test_the_help_lists_every_back_end() -> None:
    assert f"<{'|'.join(NAMES)}>" in "".join(trainc("compile", "--help").out.split())


def test_the_default_is_a_back_end() -> None:
    assert DEFAULT in NAMES
    assert f"| `{DEFAULT}` (default) |" in (ROOT / "docs" / "back-ends.md").read_text("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_back_ends_have_rows_on_their_page(name: str) -> None:
    tables = (ROOT / "docs" / "back-ends.md").read_text("utf-8")
    assert tables.count(f"| `{name}` ") >= 2  # behavior, and what trainc can do


@pytest.mark.parametrize("name", NAMES)
def test_back_ends_have_templates(name: str) -> None:
    assert list((ROOT / "templates" / name).glob("*.yaml.j2"))


def test_templates_of_removed_back_ends_are_deleted() -> None:
    # basic and deepspeed contain programs of these launchers' pods.
    assert {folder.name for folder in (ROOT / "templates").iterdir()} == {*NAMES, "shared", "ssh", "ray"}


@pytest.mark.parametrize("name", NAMES)
def test_back_ends_have_a_golden_file_for_every_accepted_example(name: str) -> None:
    expected = {example for example in EXAMPLES if accepted(example, name)}
    assert {file.parent.name for file in (ROOT / "golden").glob(f"*/{name}.yaml")} == expected


def test_golden_files_of_removed_back_ends_are_deleted() -> None:
    assert {file.stem for file in (ROOT / "golden").glob("*/*.yaml")} == set(NAMES)


def _field(path: str) -> Any:
    """Return the schema of a field of the job file."""
    schema, base = DOCUMENTS[JOB], JOB
    for step in path.split("."):
        schema = schema["properties"][step]
        if "$ref" in schema:
            schema, base = resolve_reference(schema["$ref"], base)
    return schema


@pytest.mark.parametrize(("name", "path"), [(name, path) for name in NAMES for path in traits(name).unsupported])
def test_unsupported_fields_exist_and_have_a_reason(name: str, path: str) -> None:
    assert _field(path)
    reason = traits(name).unsupported[path]
    assert reason
    assert not reason.endswith(".")
    supporting = [other for other in NAMES if traits(other).supports(path)]
    assert supporting, "no back end supports this field"
