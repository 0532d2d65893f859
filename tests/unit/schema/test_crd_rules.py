"""Rules of CRDs, as `tests/cluster/test_crd_verdicts.py` asks a real API server about them."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.api_verdicts import Object, changed
from tests.support.crd_verdicts import (
    BASES,
    CHANGES,
    RULES,
    RULES_OF_2_1,
    SCHEMAS,
    Change,
    Row,
    unique_lists,
    with_duplicate,
)
from tools.crd_schemas import UnknownKeywordError, strict
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.diff.jobs import job_diffs
from trainc.schema import accept
from trainc.schema.accept import accepts
from trainc.schema.documents import document
from trainc.schema.errors import resource_errors
from trainc.schema.paths import dotted, node_at
from trainc.schema.problem import span_at
from trainc.schema.rules.syntax import parse
from trainc.source.load import load
from trainc.source.node import Node
from trainc.span import Source

FOLDER = Path(__file__).resolve().parents[3] / "schemas"
FILES = sorted(FOLDER.glob("crds/**/*.json"))


def _node(manifest: Object) -> Node:
    return load(Source("job.yaml", json.dumps(manifest)))[0][0]


def _errors(manifest: Object, schema: str = "") -> list[Diagnostic]:
    return resource_errors(_node(manifest), schema or SCHEMAS[manifest["kind"]], rejects_unknown=True)


def _is_accepted(manifest: Object, schema: str = "") -> bool:
    name = schema or SCHEMAS[manifest["kind"]]
    return accepts(_node(manifest), document(name), name)


OF_2_1 = "crds/trainer-2.1/trainingruntime-trainer-v1alpha1.json"


@pytest.mark.parametrize(
    ("row", "schema"), [*((row, "") for row in RULES), *((row, OF_2_1) for row in RULES_OF_2_1)], ids=str
)
def test_both_tiers_agree_with_the_api_server_about_rules(row: Row, schema: str) -> None:
    errors = _errors(row.manifest, schema)
    assert [row.message in error.message for error in errors] == [True] * bool(row.message)
    assert [error.code.id for error in errors] == ["TC4090"] * bool(row.message)
    assert _is_accepted(row.manifest, schema) == (not row.message)
    if errors and row.field:
        assert f"`{row.field}`" in errors[0].message


@pytest.mark.parametrize("kind", BASES)
def test_both_tiers_agree_with_the_api_server_about_equal_items(kind: str) -> None:
    for path, keys in unique_lists(kind):
        manifest, place = with_duplicate(kind, path)
        node = _node(manifest)
        (error,) = _errors(manifest)
        around, key = (*place[:-1],), [next(iter(keys))] if keys else []
        assert error.code.id == "TC4090"
        assert f"`{dotted(around)}` has" in error.message
        # Without the key, which then has its default, the item itself.
        second, first = ((*around, index, *key) for index in (1, 0))
        if node_at(node, second) is None:
            second, first = second[:-1], first[:-1]
        assert error.span.place == span_at(node, second).place
        assert [each.span.place for each in error.related] == [span_at(node, first).place]
        assert not _is_accepted(manifest)


PORTS = "spec.replicatedJobs.0.template.spec.template.spec.containers.0.ports"
CODES = "spec.replicatedJobs.0.template.spec.podFailurePolicy.rules"


@pytest.mark.parametrize(
    ("path", "value", "places"),
    [
        (PORTS, [{"containerPort": 1}, {"containerPort": 1, "protocol": "UDP"}], []),
        (PORTS, [{"containerPort": 1}, {"containerPort": 1, "protocol": "TCP"}], ["containerPort"]),
        (PORTS, [{"containerPort": 1}] * 3, ["containerPort"]),
        (CODES, [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1, 2, 1, 1, 2]}}], ["1", "2"]),
        (CODES, [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1, 2]}}], []),
    ],
)
def test_an_item_that_occurs_often_is_reported_once(path: str, value: Any, places: list[str]) -> None:
    manifest = changed(BASES["JobSet"], {path: value})
    assert [place in error.message for place, error in zip(places, _errors(manifest), strict=True)] == [True] * len(
        places
    )


def test_names_that_the_webhook_sets_are_not_equal() -> None:
    """JobSet's webhook names rules of a failure policy that have no name."""
    manifest = changed(BASES["JobSet"], {"spec.failurePolicy": {"rules": [{"action": "FailJSet"}] * 2}})
    assert not any(error.code.id == "TC4090" for error in _errors(manifest))


def test_a_value_of_the_wrong_type_has_one_error() -> None:
    manifest = changed(BASES["TrainingRuntime"], {"spec.mlPolicy.flux": {"numProcPerNode": "2"}})
    del manifest["spec"]["mlPolicy"]["torch"]
    (error,) = _errors(manifest)
    assert error.code.id == "TC2004"


def _rules(schema: Any, path: str = "") -> Iterator[tuple[str, dict[str, str]]]:
    if isinstance(schema, dict):
        for rule in schema.get("x-kubernetes-validations", []):
            yield path, rule
        for name, inner in schema.items():
            yield from _rules(inner, f"{path}.{name}")


# Of a status, which the API server drops when an object is created: the operator's own.
NOT_JUDGED = {"has(self.lastUpdatedTime)"}


def test_every_rule_of_the_schemas_is_judged_or_about_a_change() -> None:
    asked = {row.message for row in (*RULES, *RULES_OF_2_1)}
    for file in FILES:
        for path, rule in _rules(json.loads(file.read_text("utf-8"))):
            parse(rule["rule"])
            is_asked = rule["message"] in asked or rule["rule"] == "self == oldSelf"
            assert is_asked or (rule["rule"] in NOT_JUDGED and ".status." in path), (file, path, rule)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(FOLDER)))
def test_the_fast_tier_implements_every_keyword_of_crds(file: Path) -> None:
    without_effect = {"$schema", "$comment", "definitions", "$ref", "default"}
    assert _keywords(json.loads(file.read_text("utf-8"))) <= {*accept._RULES, *without_effect}


def _keywords(schema: Any) -> set[str]:
    keywords = set(schema) if isinstance(schema, dict) else set()
    for keyword in keywords & {"properties", "definitions"}:
        keywords = keywords.union(*(_keywords(inner) for inner in schema[keyword].values()))
    for keyword in keywords & {"items", "additionalProperties"}:
        keywords = keywords | _keywords(schema.get(keyword))
    return keywords


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "x-kubernetes-embedded-resource": True},
        {"type": "string", "x-kubernetes-validations": [{"rule": "true", "message": "a", "fieldPath": ".b"}]},
    ],
)
def test_an_unknown_keyword_of_a_crd_stops_the_generator(schema: Object) -> None:
    with pytest.raises(UnknownKeywordError):
        strict(schema)


@pytest.mark.parametrize(
    "rule",
    [
        "self.a ? true : false",
        "self.map(x, x)",
        "self.all(",
        "self + self",
        "a == 1",
        "size(self, 1) == 1",
        "has(self)",
        "self.a ==",
        "isURL(self)",
        "'a",
    ],
)
def test_a_rule_with_other_syntax_stops_the_generator(rule: str) -> None:
    with pytest.raises(SyntaxError):
        strict({"type": "object", "x-kubernetes-validations": [{"rule": rule, "message": "a"}]})


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_diff_agrees_with_the_api_server_about_immutable_fields(change: Change) -> None:
    old, new = change.manifests
    (job,) = job_diffs([old], [new], 36)
    (each,) = job.objects or [None]
    refused = {refusal.field for refusal in each.effect.refused} if each else set()
    assert bool(refused) == bool(change.field)
    assert all(field.startswith(change.field) for field in refused), refused


@pytest.mark.parametrize("name", [["a"], {"a": 1}, None])
def test_an_item_without_a_name_is_no_item_of_the_other_version(name: object) -> None:
    *_, old = yaml.safe_load_all((FOLDER.parent / "golden" / "torchrun" / "jobset.yaml").read_text("utf-8"))
    new = copy.deepcopy(old)
    pod = new["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    pod["volumes"] = [{"name": name, "emptyDir": {}}]
    (job,) = job_diffs([old], [new], 36)
    assert job.objects
