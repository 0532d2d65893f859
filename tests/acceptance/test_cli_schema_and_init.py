"""`trainc schema` is a schema that editors can use and agrees with the compiler; `trainc init` compiles."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator, ValidationError, validators

from tests.support.build import ANY_LAUNCHER_BACKENDS
from tests.support.command import trainc
from tests.support.corpus import BAD, FOLDER, GOOD, read_expectation
from trainc.source.load import decode, load
from trainc.source.node import plain
from trainc.systems.registry import NAMES

EXAMPLES = sorted((FOLDER.parents[1] / "examples").glob("*.yaml"))
LAUNCHERS = ("basic", "torchrun", "deepspeed")
# The schema speaks of these; a wrong kind too, but it can't tell it from a wrong value.
OF_THE_SCHEMA = ("TC2",)
OF_THE_MEANING = ("TC3", "TC4")


def _pattern(_: Any, pattern: str, instance: object, __: Any) -> Iterator[ValidationError]:
    """The schema's patterns are ECMA's, whose `$` is the very end; Python's also stands before a last line break."""
    if isinstance(instance, str) and not re.search(pattern.replace("$", r"\Z"), instance):
        yield ValidationError(f"{instance!r} does not match {pattern}")


@cache
def _validator() -> Any:
    return validators.extend(Draft7Validator, {"pattern": _pattern})(  # type: ignore[no-untyped-call]
        json.loads(trainc("schema").out)
    )


def _valid(file: Path) -> bool:
    """As an editor judges a file: by YAML 1.2 and the printed schema alone."""
    documents, problems = load(decode(file.name, file.read_bytes()))
    assert not problems
    return all(_validator().is_valid(plain(document)) for document in documents)


def test_the_schema_is_a_valid_draft_07_schema() -> None:
    done = trainc("schema")
    assert (done.code, done.err) == (0, "")
    schema = json.loads(done.out)
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
    Draft7Validator.check_schema(schema)


def test_the_schema_stands_alone() -> None:
    schema = json.loads(trainc("schema").out)
    todo, references = [schema], set()
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            references |= {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
            todo += value.values()
        elif isinstance(value, list):
            todo += value
    assert references == {f"#/definitions/{name}" for name in schema["definitions"]}


@pytest.mark.parametrize("file", [*EXAMPLES, *GOOD], ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_the_schema_accepts_every_good_job(file: Path) -> None:
    assert _valid(file)


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_every_example_passes_the_check(file: Path) -> None:
    done = trainc("check", file)
    assert (done.code, "error[" in done.err) == (0, False)


@pytest.mark.parametrize(
    "file",
    [file for file in BAD if read_expectation(file).findings[0].startswith(OF_THE_SCHEMA)],
    ids=lambda file: file.stem,
)
def test_the_schema_refuses_what_the_compiler_refuses_by_it(file: Path) -> None:
    assert not _valid(file)


@pytest.mark.parametrize(
    "file",
    [
        file
        for file in BAD
        if b"kind: TrainingJob" in file.read_bytes()  # not another system's job
        and all(found.startswith(OF_THE_MEANING) for found in read_expectation(file).findings)
    ],
    ids=lambda file: file.stem,
)
def test_the_schema_accepts_what_only_the_meaning_makes_wrong(file: Path) -> None:
    assert _valid(file)


@pytest.mark.parametrize("backend", NAMES)
@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_a_starter_compiles_on_every_back_end(launcher: str, backend: str) -> None:
    text = trainc("init", "mnist", "--launch", launcher).out
    done = trainc("compile", "-", "--backend", backend, stdin=text)
    if backend not in ANY_LAUNCHER_BACKENDS and launcher != "deepspeed":
        assert (done.code, "error[TC4030]" in done.err) == (1, True)
        return
    assert (done.code, "error[" in done.err) == (0, False)
    assert all(document["metadata"]["name"].startswith("mnist") for document in yaml.safe_load_all(done.out))


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_a_starter_passes_the_check_and_the_schema(launcher: str, tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(trainc("init", "-l", launcher).out)
    assert trainc("check", file) == (0, "", "")
    assert _valid(file)


def test_every_comment_of_a_starter_that_is_a_field_is_a_right_one() -> None:
    """What a user gets by taking the comment signs away."""
    text = trainc("init").out
    lines = [
        line.replace("  # ", "  ", 1) if line.startswith(("  # env", "  # vol", "  # -", "  #   ")) else line
        for line in text.split("\n")
    ]
    done = trainc("check", "-", stdin="\n".join(lines))
    assert done == (0, "", ""), done.err


@pytest.mark.parametrize("name", ["y", "null", "e1", "x" * 50, "LAUNCH".lower()])
def test_a_starter_has_the_name_that_was_asked_for(name: str) -> None:
    done = trainc("init", name)
    assert done.code == 0, done.err
    assert yaml.safe_load(done.out.replace(f"name: {name}\n", f'name: "{name}"\n'))["metadata"]["name"] == name
    assert trainc("check", "-", stdin=done.out) == (0, "", "")


@pytest.mark.parametrize("name", ["", "My Job", "a\nspec: {}", "-a", "a_b", "x" * 64])
def test_a_starter_with_a_wrong_name_is_refused(name: str) -> None:
    done = trainc("init", "--", name)
    assert (done.code, done.out) == (2, "")
    assert "name" in done.err
