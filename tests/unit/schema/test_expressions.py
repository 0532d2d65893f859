"""Schema for editors: expressions of a sweep are accepted as numbers and booleans, other texts are not."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from trainc.schema.bundle import bundled
from trainc.schema.documents import CLUSTER, PROJECT

VALIDATOR = jsonschema.Draft7Validator(json.loads(bundled()))
VARIABLE = "${{ matrix.n }}"


def job(**spec: Any) -> dict[str, Any]:
    run: dict[str, Any] = {"image": "a:1", "launch": {"torchrun": {}}, "run": {"python": ["train.py"]}}
    head = {"apiVersion": "trainc.dev/v1alpha1", "kind": "TrainingJob", "metadata": {"name": f"mnist-{VARIABLE}"}}
    return {**head, "matrix": {"n": [1, 2]}, "spec": {**run, **spec}}


@pytest.mark.parametrize("field", [
    {"workers": VARIABLE},
    {"image": f"train:{VARIABLE}"},
    {"resources": {"cpu": VARIABLE, "gpu": VARIABLE, "memory": f"{VARIABLE}Gi"}},
    {"launch": {"torchrun": {"nprocPerNode": VARIABLE, "shareStore": VARIABLE}}},
    {"podTemplate": {"spec": {"hostNetwork": VARIABLE}}},
])  # fmt: skip
def test_an_expression_is_accepted(field: dict[str, Any]) -> None:
    assert not list(VALIDATOR.iter_errors(job(**field)))


@pytest.mark.parametrize("value", ["2", "two", "", f"{VARIABLE}2", f"2{VARIABLE}", 0, 1.5, True, [VARIABLE]])
def test_other_values_of_a_number_are_rejected(value: Any) -> None:
    (error,) = VALIDATOR.iter_errors(job(workers=value))
    assert list(error.path) == ["spec", "workers"]


def test_a_matrix_and_an_entry_of_a_cluster_have_no_expressions() -> None:
    assert list(VALIDATOR.iter_errors({**job(), "matrix": {"n": [1], "maxParallel": VARIABLE}}))
    cluster = {"apiVersion": "trainc.dev/v1alpha1", "kind": "Cluster", "metadata": {"name": "a"}}
    shape = {"name": "a", "count": VARIABLE, "allocatable": {}}
    document = {**cluster, "spec": {"nodes": [shape]}}
    assert not jsonschema.Draft7Validator(json.loads(bundled(CLUSTER))).is_valid(document)


def test_defaults_of_a_project_have_expressions() -> None:
    schema = jsonschema.Draft7Validator(json.loads(bundled(PROJECT)))
    head = {"apiVersion": "trainc.dev/v1alpha1", "kind": "Project"}
    assert schema.is_valid({**head, "defaults": {"spec": {"workers": VARIABLE}}})
    assert not schema.is_valid({**head, "defaults": {"spec": {"workers": "two"}}})
