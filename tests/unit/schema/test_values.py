"""Values over those of a document: a deep merge with positions. Examples are merged by hand."""

from __future__ import annotations

from typing import Any

import pytest

from trainc.diagnostics.diagnostic import Rejected
from trainc.schema.values import ValuesFile
from trainc.source.load import load
from trainc.source.node import Mapping, Node, plain
from trainc.span import Source

JOB = """\
metadata: {name: job, labels: {a: "1"}}
spec:
  workers: 2
  launch: {torchrun: {nprocPerNode: 2}}
  run: {python: [train.py, --lr, "1"]}
  env: {A: x, B: y}
"""


def merged(values: str) -> Node:
    (document,), _ = load(Source("job.yaml", JOB))
    return ValuesFile(Source("values.yaml", values)).apply(document)


def spec(values: str) -> Any:
    return plain(merged(values))["spec"]


def test_mappings_are_merged_and_lists_replaced() -> None:
    result = plain(merged("metadata: {labels: {b: '2'}}\nspec: {env: {B: z, C: w}, run: {python: [eval.py]}}\n"))
    assert result["metadata"] == {"name": "job", "labels": {"a": "1", "b": "2"}}
    assert result["spec"]["env"] == {"A": "x", "B": "z", "C": "w"}
    assert result["spec"]["run"] == {"python": ["eval.py"]}


def test_null_removes_a_field_and_does_nothing_to_a_missing_one() -> None:
    result = spec("spec: {workers: null, env: {A: ~, D: null}, elastic: null, scheduling: {queue: null}}\n")
    assert "workers" not in result
    assert "elastic" not in result
    assert result["env"] == {"B": "y"}


def test_null_stays_in_a_patch_of_the_pod() -> None:
    patch = {"spec": {"terminationGracePeriodSeconds": None}}
    assert spec("spec: {podTemplate: {spec: {terminationGracePeriodSeconds: null}}}\n")["podTemplate"] == patch


def test_another_launcher_replaces_that_of_the_file() -> None:
    assert spec("spec: {launch: {deepspeed: {}}}\n")["launch"] == {"deepspeed": {}}


def test_an_empty_file_changes_nothing() -> None:
    (document,), _ = load(Source("job.yaml", JOB))
    assert plain(merged("# nothing\n")) == plain(document)


def test_values_keep_their_positions_and_sections_those_of_the_job() -> None:
    job = merged("spec:\n  workers: 8\n  env: {A: z}\n")
    assert isinstance(job, Mapping)
    section = job.get("spec")
    assert isinstance(section, Mapping)
    assert str(section.where("workers")) == "values.yaml:2:12"
    assert str(section.where("env")) == "job.yaml:6:3"
    assert str(section.span) == "job.yaml:3:3"
    assert str(job.span) == "job.yaml:1:1"


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("[1]", "TC6039", "values.yaml:1:1"),
        ("a", "TC6039", "values.yaml:1:1"),
        ("spec: {}\n---\nspec: {}\n", "TC6039", "values.yaml:3:1"),
        ("spec: {workrs: null}\n", "TC2002", "values.yaml:1:8"),
        ("spec: {workers: 1\n", "TC1003", "values.yaml:2:1"),
        ("spec: {}\nspec: {}\n", "TC1004", "values.yaml:2:1"),
    ],
    ids=["list", "scalar", "two documents", "null in an unknown field", "syntax", "duplicate key"],
)
def test_invalid_files_are_reported_at_their_position(text: str, code: str, place: str) -> None:
    with pytest.raises(Rejected) as rejected:
        ValuesFile(Source("values.yaml", text))
    assert [(each.code.id, str(each.span)) for each in rejected.value.diagnostics] == [(code, place)]
