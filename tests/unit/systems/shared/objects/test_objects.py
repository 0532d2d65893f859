"""Objects of each back end, in an order in which they can be applied."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import ANY_LAUNCHER_BACKENDS, compile_objects, pod_owners, pod_template, worker_spec
from trainc.systems.registry import NAMES
from trainc.target import Target

METRIC = {"type": "Pods", "pods": {"metric": {"name": "queue"}, "target": {"type": "AverageValue", "averageValue": 1}}}
ELASTIC: dict[str, Any] = {"launch": {"torchrun": {}}, "elastic": {"minReplicas": 2, "maxReplicas": 3}}
CLAIM: dict[str, Any] = {"name": "data", "mountPath": "/data", "claim": {"size": "1Gi"}}
WORKLOADS = (
    "RayJob",
    "Pod",
    "Job",
    "StatefulSet",
    "JobSet",
    "TrainingRuntime",
    "PyTorchJob",
    "DeepSpeedJob",
    "ElasticJob",
    "MPIJob",
)
CPU: dict[str, Any] = {"cpu": 1}


def object_names(backend: str, **spec: Any) -> list[str]:
    resources = compile_objects(backend, target=Target(backend=backend), **spec)
    return [f"{resource['kind']}/{resource['metadata']['name']}" for resource in resources]


@pytest.mark.parametrize(
    ("backend", "expected"),
    [
        ("pods", ["Pod/mnist-0"]),
        ("job", ["Job/mnist"]),
        ("statefulset", ["StatefulSet/mnist"]),
    ],
)
def test_single_worker_is_one_object(backend: str, expected: list[str]) -> None:
    assert object_names(backend) == expected


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
    assert object_names(backend, workers=3) == [*names, *workers]
    assert object_names(backend, workers=3, volumes=[CLAIM]) == ["PersistentVolumeClaim/mnist-data", *names, *workers]


@pytest.mark.parametrize(
    ("backend", "workers"),
    [
        # The maximum: pods without a node stay Pending, and worker 0's success completes the job.
        ("pods", ["Pod/mnist-0", "Pod/mnist-1", "Pod/mnist-2"]),
        ("job", ["Job/mnist"]),
        ("statefulset", ["StatefulSet/mnist", "HorizontalPodAutoscaler/mnist"]),
    ],
)
def test_autoscaler_is_last(backend: str, workers: list[str]) -> None:
    assert object_names(backend, resources=CPU, **ELASTIC) == ["Service/mnist", "Service/mnist-0", *workers]


def number_of_workers(backend: str, **spec: Any) -> int:
    """Return the number of pods at the start."""
    resources = compile_objects(backend, target=Target(backend=backend), resources=CPU, **spec)
    if backend in ("job", "jobset"):
        spec = worker_spec(resources[-1])
        assert spec["completions"] == spec["parallelism"]
    if backend == "trainjob":
        return int(resources[-1]["spec"]["trainer"]["numNodes"])
    pods = sum(resource["kind"] == "Pod" for resource in resources)
    return pods or sum(int(each.get("parallelism") or each["replicas"]) for each in pod_owners(resources[-1]))


@pytest.mark.parametrize("backend", ANY_LAUNCHER_BACKENDS)
def test_workers_of_an_elastic_job_is_its_first_size_on_every_back_end(backend: str) -> None:
    elastic = {"minReplicas": 2, "maxReplicas": 8, "metrics": []}
    for workers in (2, 3, 8):
        assert number_of_workers(backend, launch={"torchrun": {}}, workers=workers, elastic=elastic) == workers
    assert number_of_workers(backend, launch={"torchrun": {}}, elastic=elastic) == 8


def test_an_operators_autoscaler_starts_with_workers_or_the_minimum() -> None:
    elastic = {"minReplicas": 2, "maxReplicas": 8, "metrics": [METRIC]}
    assert number_of_workers("pytorchjob", launch={"torchrun": {}}, workers=3, elastic=elastic) == 3
    assert number_of_workers("pytorchjob", launch={"torchrun": {}}, elastic=elastic) == 2


@pytest.mark.parametrize(
    ("backend", "workers"), [("pods", []), ("job", ["Job/mnist"]), ("statefulset", ["StatefulSet/mnist"])]
)
def test_paused_job_keeps_services_and_claims(backend: str, workers: list[str]) -> None:
    resources = compile_objects(backend, workers=2, volumes=[CLAIM], mode="paused")
    kinds = [f"{resource['kind']}/{resource['metadata']['name']}" for resource in resources]
    assert kinds == ["PersistentVolumeClaim/mnist-data", "Service/mnist", "Service/mnist-0", *workers]
    specs = [resource["spec"] for resource in resources if resource["kind"] in ("Job", "StatefulSet")]
    assert all(spec.get("suspend") is True or spec.get("replicas") == 0 for spec in specs)


@pytest.mark.parametrize("backend", NAMES)
def test_claims_come_in_the_order_of_the_volumes(backend: str) -> None:
    volumes = [{**CLAIM, "name": name, "mountPath": f"/{name}"} for name in ("z", "a", "m")]
    claims = [name for name in object_names(backend, volumes=volumes) if name.startswith("PersistentVolumeClaim")]
    assert claims == [f"PersistentVolumeClaim/mnist-{name}" for name in ("z", "a", "m")]


@pytest.mark.parametrize("backend", NAMES)
def test_autoscaler_targets_an_emitted_object(backend: str) -> None:
    resources = compile_objects(backend, target=Target(backend=backend), resources=CPU, **ELASTIC)
    names = {(resource["apiVersion"], resource["kind"], resource["metadata"]["name"]) for resource in resources}
    for resource in resources:
        if resource["kind"] == "HorizontalPodAutoscaler":
            target = resource["spec"]["scaleTargetRef"]
            assert (target["apiVersion"], target["kind"], target["name"]) in names


@pytest.mark.parametrize("backend", NAMES)
def test_every_object_is_in_the_jobs_namespace(backend: str) -> None:
    spec, target = {"resources": CPU, "volumes": [CLAIM], **ELASTIC}, Target(backend=backend)
    resources = compile_objects(backend, {"namespace": "research"}, target, **spec)
    assert {resource["metadata"]["namespace"] for resource in resources} == {"research"}
    # Without a namespace the field is omitted.
    assert all("namespace" not in resource["metadata"] for resource in compile_objects(backend, None, target, **spec))


@pytest.mark.parametrize("backend", NAMES)
def test_user_labels_and_annotations_are_on_each_object_and_pod(backend: str) -> None:
    metadata: dict[str, Any] = {"labels": {"team": "vision"}, "annotations": {"note": "a"}}
    resources = compile_objects(backend, metadata, resources=CPU, volumes=[CLAIM], **ELASTIC)
    pods = [pod_template(resource) for resource in resources if resource["kind"] in WORKLOADS]
    assert pods
    for resource in [*resources, *pods]:
        assert resource["metadata"]["labels"]["team"] == "vision"
        assert resource["metadata"]["annotations"]["note"] == "a"


def test_bare_pods_differ_only_in_their_index() -> None:
    first, second = compile_objects("pods", workers=2)[-2:]
    text = repr(second).replace("mnist-1", "mnist-0")
    text = text.replace("'trainc.dev/index': '1'", "'trainc.dev/index': '0'")
    assert text.replace("'name': 'RANK', 'value': '1'", "'name': 'RANK', 'value': '0'") == repr(first)
