"""Operators of other projects run beside the tests' control plane, with their webhooks."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.cluster.api import Api, ApiError, Object
from tests.cluster.cluster import wait
from tests.cluster.created import created_objects
from tests.cluster.operators.session import Operators

CONTAINER: Object = {"image": "image:1", "command": ["true"]}


def pod_template(container: str) -> Object:
    return {"spec": {"containers": [{"name": container, **CONTAINER}]}}


PYTORCHJOB: Object = {
    "apiVersion": "kubeflow.org/v1",
    "kind": "PyTorchJob",
    "spec": {"pytorchReplicaSpecs": {"Worker": {"replicas": 2, "template": pod_template("pytorch")}}},
}
JOBSET: Object = {
    "apiVersion": "jobset.x-k8s.io/v1alpha2",
    "kind": "JobSet",
    "spec": {
        "replicatedJobs": [
            {
                "name": "node",
                "template": {"spec": {"parallelism": 2, "completions": 2, "template": pod_template("node")}},
            }
        ]
    },
}
TRAINJOB: Object = {
    "apiVersion": "trainer.kubeflow.org/v1alpha1",
    "kind": "TrainJob",
    "spec": {"runtimeRef": {"name": "torch-distributed"}, "trainer": {"numNodes": 2}},
}
MPIJOB: Object = {
    "apiVersion": "kubeflow.org/v2beta1",
    "kind": "MPIJob",
    "spec": {
        "mpiReplicaSpecs": {
            "Launcher": {"template": pod_template("launcher")},
            "Worker": {"replicas": 2, "template": pod_template("worker")},
        }
    },
}
MADE = {
    "training": (PYTORCHJOB, {"Pod": 2, "Service": 2}),
    "jobset": (JOBSET, {"Job": 1, "Pod": 2, "Service": 1}),
    "trainer": (TRAINJOB, {"ConfigMap": 1, "Job": 1, "JobSet": 1, "Pod": 2, "Service": 1}),
    "mpi": (MPIJOB, {"ConfigMap": 1, "Job": 1, "Pod": 3, "Secret": 1, "Service": 1}),
}


def named(manifest: Object, name: str) -> Object:
    return {**manifest, "metadata": {"name": name}}


@pytest.mark.parametrize("name", MADE)
def test_an_operator_creates_the_objects_of_a_job(api: Api, operators: Operators, namespace: str, name: str) -> None:
    operators.start(name)
    job, expected = MADE[name]
    api.apply(named(job, "mnist"), namespace)

    wait("objects", lambda: len(created_objects(api, namespace)) >= sum(expected.values()))
    assert Counter(each["kind"] for each in created_objects(api, namespace)) == expected


@pytest.mark.parametrize(
    ("name", "job", "message"),
    [
        ("training", named(PYTORCHJOB, "1mnist"), r"validator\.pytorchjob\.training-operator\.kubeflow\.org"),
        ("jobset", named(JOBSET, "m" * 60), r"vjobset\.kb\.io"),
        ("trainer", {**named(TRAINJOB, "mnist"), "spec": {"runtimeRef": {"name": "none"}}}, r"validator\.trainjob\."),
    ],
)
def test_a_webhook_rejects_a_job(
    api: Api, operators: Operators, namespace: str, name: str, job: Object, message: str
) -> None:
    operators.start(name)
    with pytest.raises(ApiError, match=message):
        api.apply(job, namespace)
