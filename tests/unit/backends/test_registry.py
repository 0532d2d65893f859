"""Every back end is registered, offered, documented and has its goldens; what it can't do is a field that there is."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest

from tests.support.examples import EXAMPLES, accepted
from tests.support.places import DOCUMENTS, JOB, resolved
from trainc.cli.options import BackendName
from trainc.systems.registry import DEFAULT, NAMES, backend, traits
from trainc.systems.shared.objects.base import Backend

ROOT = Path(__file__).resolve().parents[3]
MODULES = {
    file.parent.name for file in (ROOT / "compiler/trainc/systems").glob("*/objects.py") if file.parent.name != "shared"
}


def test_every_module_is_a_back_end_of_its_own_name() -> None:
    assert set(NAMES) == MODULES
    for name in NAMES:
        found = backend(name)
        assert isinstance(found, Backend)
        assert (found.traits.name, type(found).__module__) == (name, f"trainc.systems.{name}.objects")


def test_a_name_that_there_is_not_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        backend("mpi")


def test_the_command_line_offers_every_back_end() -> None:
    assert get_args(BackendName) == NAMES


def test_the_default_is_one_of_them() -> None:
    assert DEFAULT in NAMES
    assert f"`--backend {DEFAULT}` (default)" in (ROOT / "README.md").read_text("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_a_back_end_has_a_column_in_the_readme(name: str) -> None:
    header = next(line for line in (ROOT / "README.md").read_text("utf-8").split("\n") if line.startswith("| |"))
    assert f"`--backend {name}`" in header


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
            schema, base = resolved(schema["$ref"], base)
    return schema


@pytest.mark.parametrize(("name", "path"), [(name, path) for name in NAMES for path in traits(name).unsupported])
def test_what_a_back_end_can_not_do_is_a_field_of_the_language_and_has_a_reason(name: str, path: str) -> None:
    assert _field(path)
    reason = traits(name).unsupported[path]
    assert reason
    assert not reason.endswith(".")
    able = [other for other in NAMES if traits(other).supports(path)]
    assert able, "a field that no back end can do has no place in the language"
