"""`trainc schema` is usable by editors and agrees with the compiler; `trainc init` emits valid jobs."""

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

from tests.support.command import fail, silent, succeed, trainc
from tests.support.corpus import BAD, FOLDER, GOOD, read_expectation
from tests.support.examples import is_users_object
from tests.support.files import write
from tests.support.json_schema import references
from trainc.source.load import decode, load
from trainc.source.node import plain
from trainc.systems.registry import NAMES

EXAMPLES = sorted((FOLDER.parents[1] / "examples").glob("*.yaml"))
LAUNCHERS = ("basic", "jax", "torchrun", "deepspeed", "accelerate", "mpirun", "ray")
# Codes of errors that the schema finds, and of those that only rules find.
SCHEMA_CODES = ("TC2",)
RULE_CODES = ("TC3", "TC4")


def match_pattern(_: Any, pattern: str, instance: object, __: Any) -> Iterator[ValidationError]:
    """Match an ECMA pattern: its `$` is the end of the text; Python's also matches before a final line break."""
    if isinstance(instance, str) and not re.search(pattern.replace("$", r"\Z"), instance):
        yield ValidationError(f"{instance!r} does not match {pattern}")


@cache
def validator() -> Any:
    schema = json.loads(trainc("schema").out)
    return validators.extend(Draft7Validator, {"pattern": match_pattern})(schema)  # type: ignore[no-untyped-call]  # it has no types


def is_valid_in_an_editor(file: Path) -> bool:
    """Return whether an editor accepts a file, by YAML 1.2 and the printed schema alone."""
    documents, problems = load(decode(file.name, file.read_bytes()))
    assert not problems
    return all(validator().is_valid(each) for each in map(plain, documents) if not is_users_object(file.stem, each))


def test_the_schema_is_a_valid_draft_07_schema() -> None:
    schema = json.loads(silent("schema"))
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
    Draft7Validator.check_schema(schema)


def test_the_schema_has_no_unresolved_references_or_unused_definitions() -> None:
    schema = json.loads(trainc("schema").out)
    assert references(schema) == {f"#/definitions/{name}" for name in schema["definitions"]}


@pytest.mark.parametrize("file", [*EXAMPLES, *GOOD], ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_the_schema_accepts_every_valid_job(file: Path) -> None:
    assert is_valid_in_an_editor(file)


@pytest.mark.sample(60)
@pytest.mark.parametrize(
    "file",
    [file for file in BAD if read_expectation(file).findings[0].startswith(SCHEMA_CODES)],
    ids=lambda file: file.stem,
)
def test_the_schema_rejects_jobs_with_schema_errors(file: Path) -> None:
    assert not is_valid_in_an_editor(file)


@pytest.mark.sample(60)
@pytest.mark.parametrize(
    "file",
    [
        file
        for file in BAD
        if b"kind: TrainingJob" in file.read_bytes()  # not another system's job
        and file.read_bytes().count(b"\nkind: ") == 1  # no other objects
        and all(finding.startswith(RULE_CODES) for finding in read_expectation(file).findings)
    ],
    ids=lambda file: file.stem,
)
def test_the_schema_accepts_jobs_that_only_rules_reject(file: Path) -> None:
    assert is_valid_in_an_editor(file)


@pytest.mark.sample(25)
@pytest.mark.parametrize("backend", NAMES)
@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_init_emits_a_job_that_compiles_on_every_back_end(launcher: str, backend: str) -> None:
    text = trainc("init", "mnist", "--launch", launcher).out
    assert ("trainc compile FILE --backend mpijob" in text) == (launcher == "mpirun")
    done = trainc("compile", "-", "--backend", backend, stdin=text)
    if launcher == "mpirun" and backend != "mpijob":
        assert (done.code, "use `--backend mpijob`" in done.err) == (1, True)
        return
    supported = {"deepspeedjob": ("deepspeed",), "mpijob": ("deepspeed", "mpirun"), "rayjob": ("ray",)}
    if launcher not in supported.get(backend, (launcher,)):
        # Of mpijob's launchers basic has to run mpirun.
        rejection = "TC4069" if (launcher, backend) == ("basic", "mpijob") else "TC4030"
        assert (done.code, f"error[{rejection}]" in done.err) == (1, True)
        return
    assert (done.code, "error[" in done.err) == (0, False)
    assert all(document["metadata"]["name"].startswith("mnist") for document in yaml.safe_load_all(done.out))


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_init_emits_a_job_that_passes_check_and_schema(launcher: str, tmp_path: Path) -> None:
    file = write(tmp_path / "job.yaml", trainc("init", "-l", launcher).out)
    assert trainc("check", file, *(("-b", "mpijob") if launcher == "mpirun" else ())) == (0, "", "")
    assert is_valid_in_an_editor(file)


def test_commented_out_fields_of_init_are_valid(tmp_path: Path) -> None:
    text = trainc("init").out
    lines = [
        line.replace("  # ", "  ", 1) if line.startswith(("  # env", "  # vol", "  # -", "  #   ")) else line
        for line in text.split("\n")
    ]
    (tmp_path / "job.yaml").write_text("\n".join(lines))
    (tmp_path / "train.py").touch()
    done = trainc("check", tmp_path / "job.yaml")
    assert done == (0, "", ""), done.err


@pytest.mark.parametrize("name", ["y", "null", "e1", "x" * 50, "launch"])
def test_init_uses_the_requested_name(name: str) -> None:
    done = succeed("init", name)
    assert yaml.safe_load(done.out.replace(f"name: {name}\n", f'name: "{name}"\n'))["metadata"]["name"] == name
    assert trainc("check", "-", stdin=done.out) == (0, "", "")


@pytest.mark.parametrize("name", ["", "My Job", "a\nspec: {}", "-a", "a_b", "x" * 64])
def test_init_rejects_an_invalid_name(name: str) -> None:
    assert "name" in fail("init", "--", name, code=2)
