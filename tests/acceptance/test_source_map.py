"""Source maps are complete and right: PyYAML reads the manifests of goldens, changed jobs show the origins."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import trainc as api
from tests.support.command import trainc
from tests.support.examples import EXAMPLES, ROOT, accepted, example_path, golden
from tests.support.source_maps import fields, mutations, places_of
from trainc.systems.registry import NAMES

SCHEMA = json.loads((ROOT / "schemas" / "source-map.json").read_text("utf-8"))


@cache
def accepting(example: str) -> tuple[str, ...]:
    return tuple(backend for backend in NAMES if accepted(example, backend))


def source_map(example: str, backend: str, folder: Path) -> dict[str, Any]:
    file = folder / f"{backend}.map"
    options = ("-b", backend, "--source-map", file, "-o", folder / f"{backend}.yaml", "-q")
    assert trainc("compile", example_path(example), *options).code == 0
    document: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return document


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_every_leaf_of_a_golden_has_an_origin(number: int, tmp_path: Path) -> None:
    """Every example, on a third of the back ends that accept it, and so every back end."""
    example = EXAMPLES[number]
    job = example_path(example).read_text("utf-8").splitlines()
    for backend in accepting(example)[number % 3 :: 3]:
        text = golden(example, backend).read_text("utf-8")
        document = source_map(example, backend, tmp_path)
        Draft202012Validator(SCHEMA).validate(document)
        (file,) = document["files"]
        assert file["sha256"] == hashlib.sha256(text.encode()).hexdigest()
        expected = [(each.line, pointer) for document in fields(text) for pointer, each in document.items()]
        assert [(line["line"], line["pointer"]) for line in file["lines"]] == expected
        for line in file["lines"]:
            assert line["values"] or "rule" in line, line
        for place in document["places"]:
            name = place["pointer"].rpartition("/")[2].replace("~1", "/")
            written = job[place["line"] - 1][place["column"] - 1 :]
            assert written, place
            assert name.isdigit() or name in "".join(job[: place["line"]]), place
        for rule in document["rules"]:
            template = (ROOT / "templates" / rule["template"]).read_text("utf-8").splitlines()
            assert template[rule["line"] - 1].strip(), rule


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_lines_that_a_changed_value_changes_name_it_as_their_origin(number: int, tmp_path: Path) -> None:
    example = EXAMPLES[number]
    backend = accepting(example)[number % len(accepting(example))]
    document = source_map(example, backend, tmp_path)
    origins = {(line["object"], line["pointer"]): line for line in document["files"][0]["lines"]}
    old = fields(golden(example, backend).read_text("utf-8"))
    names = [f"{each['/kind'].value}/{each['/metadata/name'].value}" for each in old]
    compared = 0
    for line, column, text in mutations(example_path(example).read_text("utf-8")):
        result = api.compile(text, backend=backend, filename=str(example_path(example)))
        new = fields(result.to_yaml()) if result.ok else []
        if [each.keys() for each in new] != [each.keys() for each in old]:
            continue  # rejected, or with other fields, whose places in lists differ
        for name, before, after in zip(names, old, new, strict=True):
            for pointer, field in before.items():
                origin = origins[name, pointer]
                values, conditions = (places_of(document, origin[kind]) for kind in ("values", "conditions"))
                has_changed = field.value != after[pointer].value
                assert not has_changed or line in {at for at, _ in values | conditions}, (line, pointer)
                is_copy = values == {(line, column)} and "rule" not in origin
                assert has_changed or not is_copy, (line, column, pointer)
        compared += 1
    assert compared
