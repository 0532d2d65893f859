"""Errors of the API server in native objects, and in the objects that operators create from theirs."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
import yaml

from tests.support.api_verdicts import BASES, ROWS, SERVICE, Object, Row, steps_of
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.driver import check_inputs
from trainc.frontend import read_sources
from trainc.judge.position import span_at
from trainc.source.load import load
from trainc.source.node import Mapping
from trainc.span import Source
from trainc.target import DEFAULT, parse_target


def _yaml(*objects: Object) -> str:
    text: str = yaml.dump_all(objects, Dumper=yaml.CSafeDumper, sort_keys=False)
    return text


def diagnostics_of(*objects: Object, version: str | None = None) -> list[Diagnostic]:
    source = Source("job.yaml", _yaml(*objects))
    return check_inputs(read_sources([source]), parse_target("job", version, None, None)).diagnostics


def errors_of(*objects: Object) -> list[Diagnostic]:
    return [diagnostic for diagnostic in diagnostics_of(*objects) if diagnostic.severity == "error"]


def line_of(manifest: Object, path: tuple[str | int, ...]) -> int:
    document = load(Source("job.yaml", _yaml(manifest)))[0][0]
    assert isinstance(document, Mapping)
    return span_at(document, path).line


@pytest.mark.sample(40)
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_the_check_agrees_with_the_api_server(row: Row) -> None:
    diagnostics = diagnostics_of(row.manifest, SERVICE)
    errors = [each for each in diagnostics if each.severity == "error"]
    if not row.field:
        never_starts = row.code in ("TC4086", "TC2005")
        assert [each.code.id for each in errors] == [row.code] * never_starts
        assert not row.code or row.code in {each.code.id for each in diagnostics}
        return
    line = line_of(row.manifest, steps_of(row.field))
    (here,) = [error for error in errors if error.span.line == line]
    assert here.help or here.expected or here.message.startswith("missing field")


POD = BASES["Job"]["spec"]["template"]["spec"]


def pytorchjob(pod: Object) -> Object:
    pod = {**pod, "containers": [{**pod["containers"][0], "name": "pytorch"}]}
    replicas = {"Worker": {"replicas": 2, "template": {"spec": pod}}}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": "train"},
        "spec": {"pytorchReplicaSpecs": replicas},
    }


def jobset(pod: Object) -> Object:
    spec = {**BASES["Job"]["spec"], "template": {"spec": pod}}
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "train"},
        "spec": {"replicatedJobs": [{"name": "node", "template": {"spec": spec}}]},
    }


WORKER = ("spec", "pytorchReplicaSpecs", "Worker", "template", "spec")
NODE = ("spec", "replicatedJobs", 0, "template", "spec", "template", "spec")


@pytest.mark.parametrize(
    ("manifest", "pod", "change", "field"),
    [
        (pytorchjob, WORKER, {"ports": [{"name": "pytorch", "containerPort": 70000}]}, ("ports", 0, "containerPort")),
        (pytorchjob, WORKER, {"volumeMounts": [{"name": "none", "mountPath": "/a"}]}, ("volumeMounts", 0, "name")),
        (jobset, NODE, {"image": ""}, ("image",)),
        (jobset, NODE, {"resources": {"limits": {"nvidia.com/gpu": "0.5"}}}, ("resources", "limits", "nvidia.com/gpu")),
    ],
)
def test_the_pods_of_an_operator_are_checked_in_its_template(
    manifest: Any, pod: tuple[str | int, ...], change: Object, field: tuple[str | int, ...]
) -> None:
    changed = manifest({**POD, "containers": [{**POD["containers"][0], **change}]})
    line = line_of(changed, (*pod, "containers", 0, *field))
    (error,) = [error for error in errors_of(changed) if error.span.line == line]
    assert error.help or error.expected


def test_the_jobs_of_an_operator_are_checked_in_its_template() -> None:
    changed = jobset({**POD, "restartPolicy": "Always"})
    line = line_of(changed, (*NODE, "restartPolicy"))
    (error,) = [error for error in errors_of(changed) if error.span.line == line]
    assert "the API server rejects its Jobs: a Job requires restartPolicy" in error.message


def with_new_fields() -> Object:
    """Return a Job with a field of Kubernetes 1.30, one of 1.33, and one of 1.34 that is enabled since 1.35."""
    manifest = deepcopy(BASES["Job"])
    pod = manifest["spec"]["template"]["spec"]
    pod["hostnameOverride"] = "trainer"
    pod["containers"][0]["lifecycle"] = {"stopSignal": "SIGTERM"}
    manifest["spec"]["successPolicy"] = {"rules": [{"succeededIndexes": "0"}]}
    return manifest


# Schemas of the releases, and https://github.com/kubernetes/kubernetes/blob/v1.37.0/pkg/features/kube_features.go
NEW: dict[str | None, set[str]] = {
    None: set(),
    f"1.{DEFAULT}": {"1.33 has no field `hostnameOverride`", "1.33 ignores `stopSignal`"},
    "1.30": {"1.30 has no field `hostnameOverride`", "1.30 has no field `stopSignal`", "1.30 ignores `successPolicy`"},
    "1.36": {"1.36 ignores `stopSignal`"},
}


@pytest.mark.parametrize(("version", "expected"), NEW.items())
def test_new_fields_are_reported_for_a_stated_version(version: str | None, expected: set[str]) -> None:
    diagnostics = diagnostics_of(with_new_fields(), SERVICE, version=version)
    messages = [each.message for each in diagnostics if each.code.id == "TC4004"]
    starts = {f"Kubernetes {start}" for start in expected}
    assert len(messages) == len(starts)
    assert all(any(message.startswith(start) for message in messages) for start in starts)
