"""What the API server refuses when the manifests are applied, the compiler refuses before.

Names: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set and the
same for annotations; a node selector is validated as labels are.
"""

from __future__ import annotations

from typing import Any

import trainc
from tests.support.build import text


def ok(metadata: dict[str, Any] | None = None, **spec: Any) -> bool:
    return trainc.compile(text(metadata, **spec)).ok


# A key is a name of at most 63 characters, after a domain of at most 253 and a slash.
FINE_KEYS = ["a", "A", "0", "a.b-c_d", "x" * 63, "example.com/a", ".".join(["x" * 49] * 5) + "/a"]
WRONG_KEYS = ["", "-a", "a-", "a b", "a:b", "a/b/c", "/a", "a/", "é", "a\n", "x" * 64, "x" * 254 + "/a"]
WRONG_VALUES = ["a b", "a-", "é", "x" * 64]


def test_keys_of_labels_are_as_kubernetes_wants_them() -> None:
    assert [key for key in FINE_KEYS if not ok({"labels": {key: "a"}})] == []
    assert [key for key in (*WRONG_KEYS, "A.com/a") if ok({"labels": {key: "a"}})] == []


def test_keys_of_annotations_are_as_kubernetes_wants_them() -> None:
    """They are as those of labels, but the domain may be in capitals: ValidateAnnotations in k8s.io/apimachinery."""
    assert [key for key in (*FINE_KEYS, "A.com/a") if not ok({"annotations": {key: "a"}})] == []
    assert [key for key in WRONG_KEYS if ok({"annotations": {key: "a"}})] == []


def test_keys_of_a_node_selector_are_those_of_labels() -> None:
    assert [key for key in FINE_KEYS if not ok(scheduling={"nodeSelector": {key: "a"}})] == []
    assert [key for key in (*WRONG_KEYS, "A.com/a") if ok(scheduling={"nodeSelector": {key: "a"}})] == []


def test_values_of_labels_are_as_kubernetes_wants_them() -> None:
    assert [value for value in ("", "x" * 63) if not ok({"labels": {"a": value}})] == []
    assert [value for value in WRONG_VALUES if ok({"labels": {"a": value}})] == []


def test_values_of_a_node_selector_are_those_of_labels() -> None:
    assert [value for value in ("", "x" * 63) if not ok(scheduling={"nodeSelector": {"a": value}})] == []
    assert [value for value in WRONG_VALUES if ok(scheduling={"nodeSelector": {"a": value}})] == []


def test_a_variable_has_a_value_or_a_source() -> None:
    """`valueFrom … may not be specified when value is not empty`; above all the value must not vanish silently."""
    source = {"fieldRef": {"fieldPath": "status.podIP"}}
    assert ok(env=[{"name": "A", "valueFrom": source}])
    assert not ok(env=[{"name": "A", "value": "x", "valueFrom": source}])


def test_a_sub_path_stays_inside_the_volume() -> None:
    """https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#volumes-1"""

    def taken(path: str) -> bool:
        return ok(volumes=[{"name": "a", "mountPath": "/a", "subPath": path, "emptyDir": {}}])

    assert [path for path in ("a", "a/b", "a..b", "...") if not taken(path)] == []
    assert [path for path in ("/a", "..", "../a", "a/../b") if taken(path)] == []
