"""Syntax that the API server would reject.

Keys and values: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set
and the same for annotations; node selectors are validated like labels.
"""

from __future__ import annotations

from typing import Any

import trainc
from tests.support.build import job_text


def is_accepted(metadata: dict[str, Any] | None = None, **spec: Any) -> bool:
    return trainc.compile(job_text(metadata, **spec)).ok


# A key is a name of at most 63 characters, after a domain of at most 253 and a slash.
VALID_KEYS = ["a", "A", "0", "a.b-c_d", "x" * 63, "example.com/a", ".".join(["x" * 49] * 5) + "/a"]
INVALID_KEYS = ["", "-a", "a-", "a b", "a:b", "a/b/c", "/a", "a/", "é", "a\n", "x" * 64, "x" * 254 + "/a"]
INVALID_VALUES = ["a b", "a-", "é", "x" * 64]


def test_label_keys() -> None:
    assert [key for key in VALID_KEYS if not is_accepted({"labels": {key: "a"}})] == []
    assert [key for key in (*INVALID_KEYS, "A.com/a") if is_accepted({"labels": {key: "a"}})] == []


def test_annotation_keys() -> None:
    """Like keys of labels, but the domain may have capital letters: ValidateAnnotations in k8s.io/apimachinery."""
    assert [key for key in (*VALID_KEYS, "A.com/a") if not is_accepted({"annotations": {key: "a"}})] == []
    assert [key for key in INVALID_KEYS if is_accepted({"annotations": {key: "a"}})] == []


def test_node_selector_keys() -> None:
    assert [key for key in VALID_KEYS if not is_accepted(scheduling={"nodeSelector": {key: "a"}})] == []
    assert [key for key in (*INVALID_KEYS, "A.com/a") if is_accepted(scheduling={"nodeSelector": {key: "a"}})] == []


def test_label_values() -> None:
    assert [value for value in ("", "x" * 63) if not is_accepted({"labels": {"a": value}})] == []
    assert [value for value in INVALID_VALUES if is_accepted({"labels": {"a": value}})] == []


def test_node_selector_values() -> None:
    assert [value for value in ("", "x" * 63) if not is_accepted(scheduling={"nodeSelector": {"a": value}})] == []
    assert [value for value in INVALID_VALUES if is_accepted(scheduling={"nodeSelector": {"a": value}})] == []


def test_variable_has_a_value_or_a_source() -> None:
    """API server: `valueFrom … may not be specified when value is not empty`."""
    source = {"fieldRef": {"fieldPath": "status.podIP"}}
    assert is_accepted(env=[{"name": "A", "valueFrom": source}])
    assert not is_accepted(env=[{"name": "A", "value": "x", "valueFrom": source}])


def test_sub_path_stays_inside_the_volume() -> None:
    """https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#volumes-1"""

    def is_valid_sub_path(path: str) -> bool:
        return is_accepted(volumes=[{"name": "a", "mountPath": "/a", "subPath": path, "emptyDir": {}}])

    assert [path for path in ("a", "a/b", "a..b", "...") if not is_valid_sub_path(path)] == []
    assert [path for path in ("/a", "..", "../a", "a/../b") if is_valid_sub_path(path)] == []
