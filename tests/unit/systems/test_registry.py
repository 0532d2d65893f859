"""Every back end is registered, offered, documented and has its goldens; what it can't do is a field that there is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.command import trainc
from tests.support.examples import EXAMPLES, accepted
from tests.support.string_slots import DOCUMENTS, JOB, resolve_reference
from trainc.systems.registry import DEFAULT, NAMES, PARTS, READABLE_KINDS, backend, find, of_kind, traits
from trainc.systems.shared.objects.base import Backend

ROOT = Path(__file__).resolve().parents[3]
SYSTEMS = ROOT / "compiler/trainc/systems"


def test_each_folder_is_a_system_with_the_parts_that_the_registry_lists() -> None:
    folders = {path.parent for path in SYSTEMS.glob("*/__init__.py")} - {SYSTEMS / "shared"}
    there = {
        folder.name: {part for part in PARTS if (folder / part).is_dir() or (folder / f"{part}.py").exists()}
        for folder in folders
    }
    without_kind = {"appwrapper", "tlaunchrun"}  # a wrapper of jobs, and a command line
    listed = {name: set(find(name).parts) for name in there if name not in without_kind}
    assert listed == {name: parts for name, parts in there.items() if name not in without_kind}


def test_name_and_kind_of_a_system_are_those_of_its_traits() -> None:
    for kind in (*READABLE_KINDS, "Pod", "Job", "StatefulSet", "Deployment"):
        system = of_kind(kind)
        assert system is not None
        assert (system.traits.name, system.traits.kind) == (system.name, kind)


def test_a_back_end_is_found_by_its_name() -> None:
    for name in NAMES:
        found = backend(name)
        assert isinstance(found, Backend)
        assert (found.traits.name, type(found).__module__) == (name, f"trainc.systems.{name}.objects")


def test_an_unknown_name_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        backend("mpi")


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    done = trainc("check", "job.yaml", "--backend", "mpi")
    assert done.code == 2
    assert f"`mpi` is not a back end; available: {', '.join(NAMES)}" in " ".join(done.err.split())


def test_the_command_line_offers_every_back_end() -> None:
    assert f"<{'|'.join(NAMES)}>" in "".join(trainc("compile", "--help").out.split())


def test_the_default_is_one_of_them() -> None:
    assert DEFAULT in NAMES
    assert f"| `{DEFAULT}` (default) |" in (ROOT / "README.md").read_text("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_a_back_end_has_a_row_in_the_readme(name: str) -> None:
    assert f"| `{name}` " in (ROOT / "README.md").read_text("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_a_back_end_has_templates_of_its_own(name: str) -> None:
    assert list((ROOT / "templates" / name).glob("*.yaml.j2"))


def test_no_template_is_left_of_a_back_end_that_is_gone() -> None:
    # basic and deepspeed hold no templates but the programs of those launchers' pods.
    assert {folder.name for folder in (ROOT / "templates").iterdir()} == {*NAMES, "shared", "basic", "deepspeed"}


@pytest.mark.parametrize("name", NAMES)
def test_a_back_end_has_a_golden_file_for_every_example_that_it_accepts_and_no_other(name: str) -> None:
    expected = {example for example in EXAMPLES if accepted(example, name)}
    assert {file.parent.name for file in (ROOT / "golden").glob(f"*/{name}.yaml")} == expected


def test_no_golden_file_is_left_of_a_back_end_that_is_gone() -> None:
    assert {file.stem for file in (ROOT / "golden").glob("*/*.yaml")} == set(NAMES)


def _field(path: str) -> Any:
    """The schema of a field of the job."""
    schema, base = DOCUMENTS[JOB], JOB
    for step in path.split("."):
        schema = schema["properties"][step]
        if "$ref" in schema:
            schema, base = resolve_reference(schema["$ref"], base)
    return schema


@pytest.mark.parametrize(("name", "path"), [(name, path) for name in NAMES for path in traits(name).unsupported])
def test_what_a_back_end_can_not_do_is_a_field_of_the_language_and_has_a_reason(name: str, path: str) -> None:
    assert _field(path)
    reason = traits(name).unsupported[path]
    assert reason
    assert not reason.endswith(".")
    able = [other for other in NAMES if traits(other).supports(path)]
    assert able, "a field that no back end can do has no place in the language"
