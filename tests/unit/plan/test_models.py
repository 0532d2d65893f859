"""Each operator's back end has a model of the operator in the plan, and a fixture that holds it to the operator."""

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
    """Those of the first example that a back end accepts."""
    first = next(example for example in ("torchrun", "deepspeed", *EXAMPLES) if accepted(example, backend))
    return compiled(first, backend).objects()


CUSTOM = [name for name in BACKENDS if any(one["kind"] not in KUBERNETES for one in manifests(name))]


def test_the_operators_back_ends_are_those_that_emit_a_kind_of_their_own() -> None:
    assert {"pytorchjob", "deepspeedjob"} <= set(CUSTOM)
    assert not {"pods", "job", "statefulset"} & set(CUSTOM)


@pytest.mark.parametrize("backend", CUSTOM)
def test_an_operators_back_end_has_a_model_and_a_fixture(backend: str) -> None:
    resources = [item for item in manifests(backend) if registry.operator(item)]
    assert resources, "docs/adding-a-system.md says what to add"
    for item in resources:
        module = registry.operator(item)
        assert module is not None
        assert callable(module.failure_cases)
        made = module.operator_output(item, resources).objects
        assert {text["createdBy"] for text in made} == {traits(backend).operator}
        assert "Pod" in {each["kind"] for each in made}
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
    """As `kubectl get pytorchjobs,pods,services -o yaml` has them."""
    given = trainc.compile(_JOB, backend="pytorchjob").objects()
    made = [
        {name: value for name, value in each.items() if name not in ("createdBy", "trainingContainer", "onScaleUp")}
        for each in registry.native_objects(given)
        if each not in given
    ]
    assert plan([*given, *made]) == plan(given)
    alone = plan(made)
    assert [each.ranks for each in alone.workers] == [(0, 0), (1, 1)]
    assert (alone.owner, alone.findings) == ("PyTorchJob/mnist", ())


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
