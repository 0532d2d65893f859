"""Facts of manifests, and sentences about differences between the facts of two."""

from __future__ import annotations

from typing import Any

import pytest

from trainc.plan.changes import changes
from trainc.plan.facts import Fact, Facts, job_facts

CONTAINER: dict[str, Any] = {"name": "main", "image": "e/x:1", "command": ["python", "x.py"]}


def pod(container: dict[str, Any], **spec: Any) -> dict[str, Any]:
    metadata = {"name": "a", "labels": {"team": "b"}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {**spec, "containers": [container]}}


def values(manifest: dict[str, Any]) -> dict[tuple[str, ...], str]:
    return {key: fact.value for key, fact in job_facts([manifest]).items() if key[0] != "failure"}


def test_facts_of_a_pod() -> None:
    container = {
        **CONTAINER,
        "env": [{"name": "A", "value": "1"}],
        "ports": [{"containerPort": 80}, {"name": "dns", "containerPort": 53, "protocol": "UDP"}],
        "resources": {"limits": {"cpu": 2}},
        "volumeMounts": [{"name": "v", "mountPath": "/data/", "readOnly": True}],
    }
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]
    key = ("container", "")  # the training container
    assert (
        values(pod(container, volumes=volumes, restartPolicy="Never")).items()
        >= {
            ("size", "initial"): "1",
            ("labels", "team"): "b",
            ("pod", "restartPolicy"): "Never",
            ("container", "", "name"): "main",
            (*key, "program"): "python x.py",
            (*key, "image"): "e/x:1",
            (*key, "env", "A"): "1",
            (*key, "port", "80"): "80",
            (*key, "port", "dns"): "53/UDP",
            (*key, "limits", "cpu"): "2",
            (*key, "requests", "cpu"): "2",  # by default those of the limits
            (*key, "volume", "/data", "persistentVolumeClaim", "claimName"): "c",
            (*key, "volume", "/data", "readOnly"): "true",
        }.items()
    )


def test_a_launcher_s_options_are_the_same_facts_as_arguments_and_as_variables() -> None:
    arguments = {**CONTAINER, "command": ["torchrun", "--nnodes=1", "--max-restarts=3", "x.py"]}
    variables = [{"name": "PET_NNODES", "value": "1"}, {"name": "PET_MAX_RESTARTS", "value": "3"}]
    found = values(pod(arguments))
    assert found == values(pod({**CONTAINER, "command": ["torchrun", "x.py"], "env": variables}))
    assert found["launcher", "torchrun", "max_restarts"] == "3"
    assert found["container", "", "program"] == "python x.py"  # torchrun runs its own interpreter


def test_secrets_are_not_facts() -> None:
    token = "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"
    assert token not in str(values(pod({**CONTAINER, "args": [f"--token={token}"]})))


def facts(**texts: str) -> Facts:
    return {tuple(name.split("__")): Fact(name, text, ("*", "list", 0, name)) for name, text in texts.items()}


@pytest.mark.parametrize(
    ("before", "after", "messages"),
    [
        (facts(a="1"), facts(a="1"), []),
        (facts(a="1"), facts(a="2"), ["a: `2` instead of `1`"]),
        (facts(a="1"), facts(), ["a: not set instead of `1`"]),
        (facts(), facts(a="1"), ["a: `1`, which was not set"]),
        (facts(a="1", b="1", c="1"), facts(a="2", b="2", c="2"), ["a, b and c: `2` instead of `1`"]),
        (facts(a="1", b="2"), facts(a="2", b="1"), ["a: `2` instead of `1`", "b: `1` instead of `2`"]),
        (
            facts(labels__b="1"),
            facts(labels__d="1", labels__c="2"),
            ["the pods lose the labels b", "the pods get the labels c, d"],
        ),
        (facts(failure__b="ends"), facts(failure__b="goes on"), ["failure__b: goes on; before: ends"]),
        (facts(PodGroup__a="1", PodGroup__b="2"), facts(), ["no PodGroup is created"]),
        (facts(), facts(PodGroup__a="1", PodGroup__b="2"), ["a PodGroup is created"]),
        (facts(PodGroup__a="1", PodGroup__b="2"), facts(PodGroup__a="1"), ["PodGroup__b: not set instead of `2`"]),
        (facts(a="1\n2"), facts(a="x" * 200), [f"a: `{'x' * 99}…` instead of `1 2`"]),
    ],
)
def test_each_difference_is_in_one_sentence(before: Facts, after: Facts, messages: list[str]) -> None:
    assert [change.message for change in changes(before, after)] == messages


def test_a_number_of_an_item_is_one_of_the_first_manifest() -> None:
    [change] = changes(facts(a="1"), facts(a="2"))
    assert change.facts[0].path == ("*", "list", 0, "a")
    [change] = changes(facts(), facts(a="2"))
    assert change.facts[0].path == ("*", "list")
