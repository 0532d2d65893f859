"""A value that a user adds to a manifest of trainc's is in the objects of the imported job."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.command import trainc

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "torchrun"
SYSTEMS = ("job", "statefulset", "pods", "jobset", "pytorchjob", "trainjob", "vcjob", "elasticjob")
OF_POD: list[dict[str, Any]] = [
    {"tolerations": [{"key": "added", "operator": "Exists"}]},
    {"terminationGracePeriodSeconds": 137},
    {"automountServiceAccountToken": True},
    {"serviceAccountName": "added"},
    {"nodeSelector": {"added": "here"}},
    {"priorityClassName": "added"},
    {"imagePullSecrets": [{"name": "added"}]},
    {"securityContext": {"fsGroup": 4711}},
    {"hostAliases": [{"ip": "10.0.0.1", "hostnames": ["added"]}]},
    {"runtimeClassName": "added"},
    {"schedulerName": "added"},
    {"hostIPC": True},
    {"initContainers": [{"name": "added", "image": "added:1"}]},
    {"volumes": [{"name": "added", "emptyDir": {}}], "containers": [{"name": "added", "image": "added:1"}]},
]
OF_CONTAINER: list[dict[str, Any]] = [
    {"workingDir": "/added"},
    {"imagePullPolicy": "Always"},
    {"env": [{"name": "ADDED", "value": "here"}]},
    {"envFrom": [{"configMapRef": {"name": "added"}}]},
    {"ports": [{"name": "added", "containerPort": 4711}]},
    {"livenessProbe": {"exec": {"command": ["added"]}}},
    {"lifecycle": {"preStop": {"exec": {"command": ["added"]}}}},
    {"securityContext": {"runAsUser": 4711}},
]


def pods(node: Any) -> Iterator[dict[str, Any]]:
    """Yield the pods and pod templates in an object."""
    if isinstance(node, dict) and "containers" in (node.get("spec") or {}):
        yield node
    elif isinstance(node, dict | list):
        for inner in node.values() if isinstance(node, dict) else node:
            yield from pods(inner)


def add(target: dict[str, Any], values: dict[str, Any]) -> None:
    for name, value in values.items():
        target[name] = [*target.get(name, []), *value] if isinstance(value, list) else value


EDITS = [
    *(("spec", edit) for edit in OF_POD),
    *(("container", edit) for edit in OF_CONTAINER),
    ("metadata", {"annotations": {"a/b": "here"}}),
]


def has(node: Any, values: Any) -> bool:
    """Return whether a part of an object has all these values."""
    if isinstance(values, dict):
        return isinstance(node, dict) and all(has(node.get(name), value) for name, value in values.items())
    if isinstance(values, list):
        return isinstance(node, list) and all(any(has(item, value) for item in node) for value in values)
    return bool(node == values)


@pytest.mark.sample(12)
@pytest.mark.parametrize(("field", "edit"), EDITS, ids=[f"{field}-{next(iter(edit))}" for field, edit in EDITS])
@pytest.mark.parametrize("system", SYSTEMS)
def test_an_added_value_is_in_the_imported_job(system: str, field: str, edit: dict[str, Any]) -> None:
    objects = list(yaml.safe_load_all((GOLDEN / f"{system}.yaml").read_text("utf-8")))
    for pod in pods(objects):
        add(pod["spec"]["containers"][0] if field == "container" else pod.setdefault(field, {}), edit)
    imported = trainc("import", "-", stdin=yaml.safe_dump_all(objects, sort_keys=False))
    emitted = list(yaml.safe_load_all(trainc("compile", "-", "--backend", system, stdin=imported.out).out))
    templates, specs = list(pods(emitted)), [each.get("spec") for each in emitted]
    parts = [each["spec"]["containers"] if field == "container" else [each.get(field)] for each in templates]
    assert templates, imported.err
    # Volcano has the priority class and the scheduler in its Job.
    assert all(any(has(item, edit) for item in (*part, *specs)) for part in parts), imported.err
