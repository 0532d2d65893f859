"""Each back end with an operator has a model of the operator, and tests of the model against the operator."""

from __future__ import annotations

from pathlib import Path

import pytest

import trainc
from tests.support.examples import EXAMPLES, accepted, compiled
from trainc.plan import models as registry
from trainc.plan.plan import plan
from trainc.systems.registry import NAMES as BACKENDS
from trainc.systems.registry import traits

KUBERNETES = (
    "Pod",
    "Job",
    "StatefulSet",
    "Deployment",
    "Service",
    "ConfigMap",
    "HorizontalPodAutoscaler",
    "Role",
    "RoleBinding",
    "PodGroup",
)


def manifests(backend: str) -> list[dict[str, object]]:
    """Return the manifests of the first example that a back end accepts."""
    first = next(example for example in ("torchrun", "deepspeed", *EXAMPLES) if accepted(example, backend))
    return compiled(first, backend).objects()


OPERATOR_BACKENDS = [name for name in BACKENDS if any(item["kind"] not in KUBERNETES for item in manifests(name))]


def test_operator_backends() -> None:
    assert {"pytorchjob", "deepspeedjob"} <= set(OPERATOR_BACKENDS)
    assert not {"pods", "job", "statefulset"} & set(OPERATOR_BACKENDS)


@pytest.mark.parametrize("backend", OPERATOR_BACKENDS)
def test_back_ends_with_an_operator_have_a_model_and_its_tests(backend: str) -> None:
    resources = [item for item in manifests(backend) if registry.operator(item)]
    assert resources, "the system has no model.py: docs/adding-a-system.md"
    for item in resources:
        module = registry.operator(item)
        assert module is not None
        assert callable(module.failure_cases)
        created = module.operator_output(item, manifests(backend)).objects
        assert {created_item["createdBy"] for created_item in created} == {traits(backend).operator}
        assert {"Pod", "Job", "JobSet"} & {created_item["kind"] for created_item in created}
        assert (Path(__file__).parents[1] / "systems" / backend / "test_model.py").exists()


def test_an_unknown_workload_is_reported() -> None:
    job = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "a"}, "spec": {"tasks": []}}
    task = {"replicas": 2, "template": {"spec": {"containers": [{"name": "a", "image": "b"}]}}}
    (result,) = plan([{**job, "kind": "VolcanoJob", "spec": {"tasks": [task]}}]).findings
    assert (result.where, result.message) == (
        "VolcanoJob/a",
        "unknown kind with containers: its pods are not in the plan",
    )
    assert plan([{"kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"containers": "a"}}]).findings == ()


def test_pods_of_a_controller_are_counted_once() -> None:
    """The input is like `kubectl get pytorchjobs,pods,services -o yaml`."""
    objects = trainc.compile(_JOB, backend="pytorchjob").objects()
    created = [
        {name: value for name, value in item.items() if name not in ("createdBy", "trainingContainer", "onScaleUp")}
        for item in registry.native_objects(objects)
        if item not in objects
    ]
    assert plan([*objects, *created]) == plan(objects)
    plan_of_pods = plan(created)
    assert [worker.ranks for worker in plan_of_pods.workers] == [(0, 0), (1, 1)]
    assert (plan_of_pods.owner, plan_of_pods.findings) == ("PyTorchJob/mnist", ())


_JOB = """
apiVersion: trainc.dev/v1alpha1
kind: TrainingJob
metadata: {name: mnist}
spec:
  image: train:1
  launch: {torchrun: {}}
  run: {python: [train.py]}
  workers: 2
"""
