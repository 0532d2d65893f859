"""Fields that `kubectl apply` would change: https://kubernetes.io/docs/tasks/manage-kubernetes-objects/declarative-config/"""

from __future__ import annotations

from typing import Any

import pytest

from trainc.diff.fields import field_changes

CONTAINER = {"name": "main", "image": "a:1", "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]}


def names(old: Any, new: Any, applied: Any = None) -> list[str]:
    return [each.name for each in field_changes(old, new, old if applied is None else applied)]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"spec": {"a": 1}}, {"spec": {"a": 1}}, []),
        ({"spec": {"a": 1}}, {"spec": {"a": 2}}, ["spec.a"]),
        ({"spec": {"a": 1}}, {"spec": {}}, ["spec.a"]),
        ({"spec": {}}, {"spec": {"a": 1}}, ["spec.a"]),
        ({"spec": {}}, {"spec": {"suspend": False}}, []),  # the default
        ({"spec": {"suspend": True}}, {"spec": {}}, ["spec.suspend"]),
        ({"spec": {"a": True}}, {"spec": {"a": 1}}, ["spec.a"]),
        ({"spec": {"volumes": []}}, {"spec": {}}, []),
        ({"limits": {"cpu": "1000m"}}, {"limits": {"cpu": 1}}, []),  # one quantity
        ({"limits": {"cpu": "1000m"}}, {"limits": {"cpu": "2"}}, ["limits.cpu"]),
        ({"args": ["a", "b"]}, {"args": ["b", "a"]}, ["args"]),
        ({"args": ["a"]}, {"args": ["a", "b"]}, ["args"]),
        (
            {"metadata": {"labels": {"trainc.dev/job": "a"}}},
            {"metadata": {"labels": {}}},
            ["metadata.labels[trainc.dev/job]"],
        ),
    ],
)
def test_fields(old: Any, new: Any, expected: list[str]) -> None:
    assert names(old, new) == expected


def test_items_are_found_by_their_name() -> None:
    moved = {**CONTAINER, "env": [{"name": "B", "value": "3"}]}
    assert names({"containers": [CONTAINER]}, {"containers": [{"name": "sidecar"}, moved]}) == [
        "containers[main].env[A]",
        "containers[main].env[B].value",
        "containers[sidecar]",
    ]


def test_another_order_is_a_change() -> None:
    """A pod template with variables in another order is another template to the API server."""
    assert names(CONTAINER, {**CONTAINER, "env": CONTAINER["env"][::-1]}) == ["env"]


def test_what_was_not_applied_stays() -> None:
    live = {"replicas": 5, "containers": [CONTAINER, {"name": "istio"}], "tolerations": [{"key": "a"}, {"key": "b"}]}
    applied = {"containers": [{"name": "main", "image": "a:1"}], "tolerations": [{"key": "a"}], "image": "gone"}
    assert names(live, {"containers": [{"name": "main", "image": "a:1"}], "tolerations": [{"key": "a"}]}, applied) == []
    assert names(live, {"containers": [{"name": "main"}]}, applied) == ["containers[main].image", "tolerations"]
