"""Objects of each back end, in an order in which they can be applied."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import compile_objects, pod_template
from trainc.systems.registry import NAMES

ELASTIC: dict[str, Any] = {"launch": {"torchrun": {}}, "elastic": {"minReplicas": 2, "maxReplicas": 3}}
CLAIM: dict[str, Any] = {"name": "data", "mountPath": "/data", "claim": {"size": "1Gi"}}
MAKERS = ("Pod", "Job", "StatefulSet", "PyTorchJob", "DeepSpeedJob", "ElasticJob")
CPU: dict[str, Any] = {"cpu": 1}


def made(backend: str, **spec: Any) -> list[str]:
    return [f"{thing['kind']}/{thing['metadata']['name']}" for thing in compile_objects(backend, **spec)]


@pytest.mark.parametrize(
    ("backend", "expected"),
    [
        ("pods", ["Pod/mnist-0"]),
        ("job", ["Job/mnist"]),
        ("statefulset", ["StatefulSet/mnist"]),
    ],
)
def test_single_worker_is_one_object(backend: str, expected: list[str]) -> None:
    assert made(backend) == expected


@pytest.mark.parametrize(
    ("backend", "workers"),
    [
        ("pods", ["Pod/mnist-0", "Pod/mnist-1", "Pod/mnist-2"]),
        ("job", ["Job/mnist"]),
        ("statefulset", ["StatefulSet/mnist"]),
    ],
)
def test_claims_precede_services_and_workers(backend: str, workers: list[str]) -> None:
    names = ["Service/mnist", "Service/mnist-0"]
    assert made(backend, workers=3) == [*names, *workers]
    assert made(backend, workers=3, volumes=[CLAIM]) == ["PersistentVolumeClaim/mnist-data", *names, *workers]


@pytest.mark.parametrize(
    ("backend", "workers"),
    [
        # The maximum: a job's pods that find no room wait, and worker 0's success ends it.
        ("pods", ["Pod/mnist-0", "Pod/mnist-1", "Pod/mnist-2"]),
        ("job", ["Job/mnist"]),
        ("statefulset", ["StatefulSet/mnist", "HorizontalPodAutoscaler/mnist"]),
    ],
)
def test_autoscaler_is_last(backend: str, workers: list[str]) -> None:
    assert made(backend, resources=CPU, **ELASTIC) == ["Service/mnist", "Service/mnist-0", *workers]


@pytest.mark.parametrize(
    ("backend", "workers"), [("pods", []), ("job", ["Job/mnist"]), ("statefulset", ["StatefulSet/mnist"])]
)
def test_paused_job_keeps_services_and_claims(backend: str, workers: list[str]) -> None:
    things = compile_objects(backend, workers=2, volumes=[CLAIM], mode="paused")
    kinds = [f"{thing['kind']}/{thing['metadata']['name']}" for thing in things]
    assert kinds == ["PersistentVolumeClaim/mnist-data", "Service/mnist", "Service/mnist-0", *workers]
    specs = [thing["spec"] for thing in things if thing["kind"] in ("Job", "StatefulSet")]
    assert all(spec.get("suspend") is True or spec.get("replicas") == 0 for spec in specs)


@pytest.mark.parametrize("backend", NAMES)
def test_claims_come_in_the_order_of_the_volumes(backend: str) -> None:
    volumes = [{**CLAIM, "name": name, "mountPath": f"/{name}"} for name in ("z", "a", "m")]
    claims = [name for name in made(backend, volumes=volumes) if name.startswith("PersistentVolumeClaim")]
    assert claims == [f"PersistentVolumeClaim/mnist-{name}" for name in ("z", "a", "m")]


@pytest.mark.parametrize("backend", NAMES)
def test_autoscaler_targets_an_emitted_object(backend: str) -> None:
    things = compile_objects(backend, resources=CPU, **ELASTIC)
    there = {(thing["apiVersion"], thing["kind"], thing["metadata"]["name"]) for thing in things}
    for thing in things:
        if thing["kind"] == "HorizontalPodAutoscaler":
            target = thing["spec"]["scaleTargetRef"]
            assert (target["apiVersion"], target["kind"], target["name"]) in there


@pytest.mark.parametrize("backend", NAMES)
def test_every_object_is_in_the_jobs_namespace(backend: str) -> None:
    things = compile_objects(backend, {"namespace": "research"}, resources=CPU, volumes=[CLAIM], **ELASTIC)
    assert {thing["metadata"]["namespace"] for thing in things} == {"research"}
    # Without one the cluster decides: not even an empty field stands there.
    assert all("namespace" not in thing["metadata"] for thing in compile_objects(backend, volumes=[CLAIM], **ELASTIC))


@pytest.mark.parametrize("backend", NAMES)
def test_user_labels_and_annotations_are_on_each_object_and_pod(backend: str) -> None:
    marks: dict[str, Any] = {"labels": {"team": "vision"}, "annotations": {"note": "a"}}
    things = compile_objects(backend, marks, resources=CPU, volumes=[CLAIM], **ELASTIC)
    pods = [pod_template(thing) for thing in things if thing["kind"] in MAKERS]
    assert pods
    for thing in [*things, *pods]:
        assert thing["metadata"]["labels"]["team"] == "vision"
        assert thing["metadata"]["annotations"]["note"] == "a"


def test_bare_pods_differ_only_in_their_index() -> None:
    first, second = compile_objects("pods", workers=2)[-2:]
    text = repr(second).replace("mnist-1", "mnist-0").replace("'--rank', '1'", "'--rank', '0'")
    text = text.replace("'trainc.dev/index': '1'", "'trainc.dev/index': '0'")
    assert text.replace("'name': 'RANK', 'value': '1'", "'name': 'RANK', 'value': '0'") == repr(first)
