"""`trainc status` of RayJobs that the real KubeRay runs, and what it does once all pods are ready.

No Ray runs in the pods: KubeRay can't ask the cluster about the program, as if its network were broken.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.cluster.api import Api, Object
from tests.cluster.cluster import Cluster, wait
from tests.cluster.kubelet import Kubelet
from tests.cluster.operators.session import Operators
from tests.cluster.test_rayjob import RAYJOB
from tests.cluster.test_status import status
from tests.support.build import compile_objects
from tests.support.command import trainc

Of = Callable[..., Object]
SETTLED = 5  # seconds after which KubeRay has reconciled again: RayJobDefaultRequeueDuration is 3
POD = {"containers": [{"name": "main", "image": "registry.example/other:1.0"}]}
LABELS = {"rayClusterSpec": {"headGroupSpec": {"rayStartParams": {"labels": "a=b"}}}}


@pytest.fixture
def apply(api: Api, operators: Operators, nodes: Kubelet, namespace: str) -> Iterator[Callable[..., None]]:
    """Function that applies the job `mnist` of three workers."""
    operators.start("kuberay")

    def apply(change: Object | None = None, **spec: Any) -> None:
        fields: dict[str, Any] = {"launch": {"ray": {}}, "workers": 3, "resources": {"cpu": 1, "memory": "1Gi"}, **spec}
        (job,) = compile_objects("rayjob", {"name": "mnist", "namespace": namespace}, RAYJOB, **fields)
        api.apply({**job, "spec": {**job["spec"], **(change or {})}})

    yield apply
    for job in api.find("RayJob", namespace):  # its finalizer stops the program
        api.patch("RayJob", namespace, job["metadata"]["name"], {"metadata": {"finalizers": None}})


@pytest.fixture
def of(cluster: Cluster, namespace: str) -> Of:
    """Function that returns the status of the job `mnist`, as soon as it has the expected values."""
    return lambda name="mnist", **expected: status(cluster, name, "-b", "rayjob", "-n", namespace, **expected)


def patch(api: Api, namespace: str, spec: Object) -> None:
    api.patch("RayJob", namespace, "mnist", {"spec": spec})


def pods(api: Api, namespace: str, kind: str) -> list[Object]:
    """Return the pods of a type of node."""
    return [pod for pod in api.find("Pod", namespace) if pod["metadata"]["labels"].get("ray.io/node-type") == kind]


def test_a_paused_job_resumes(api: Api, apply: Callable[..., None], of: Of, namespace: str) -> None:
    apply(mode="paused")
    shown = of(state="paused", phase="Suspended", workers=["Deleted paused"] * 3)
    (step,) = shown["nextSteps"]
    patch(api, namespace, json.loads(step["command"].partition("-p '")[2].rstrip("'"))["spec"])
    shown = of(state="running", phase="Running", workers=["Running"] * 3)
    assert ["-head-" in each["name"] for each in shown["workers"]] == [True, False, False]
    assert (shown["owner"], shown["notes"]) == ({"kind": "RayJob", "name": "mnist", "known": True}, [])
    patch(api, namespace, {"suspend": True})
    of(state="paused", phase="Suspended")
    assert not api.find("RayCluster", namespace)


def test_a_lost_worker_is_replaced_and_a_lost_head_is_not(
    api: Api, apply: Callable[..., None], of: Of, nodes: Kubelet, namespace: str
) -> None:
    apply(lifecycle={"backoffLimit": 3})
    of(state="running", phase="Running")
    first = {pod["metadata"]["uid"] for pod in pods(api, namespace, "worker")}
    nodes.exit(pods(api, namespace, "worker")[0], 1)
    new = wait("a new worker", lambda: {each["metadata"]["uid"] for each in pods(api, namespace, "worker")} - first)
    assert len(new) == 1
    of(state="running")
    nodes.exit(pods(api, namespace, "head")[0], 1)
    wait("the end of the head", lambda: not pods(api, namespace, "head"))
    time.sleep(SETTLED)
    shown = of(state="degraded", phase="Running", workers=["Creating not-created", "Running", "Running"])
    assert (shown["retries"]["used"], shown["retries"]["left"]) == (0, 3)
    assert "KubeRay does not replace the head of a RayJob" in shown["workers"][0]["problem"]["message"]


def test_an_invalid_change_fails_a_job_for_good(api: Api, apply: Callable[..., None], of: Of, namespace: str) -> None:
    apply(lifecycle={"backoffLimit": 3})
    of(state="running", phase="Running")
    patch(api, namespace, LABELS)
    shown = of(state="failed", phase="ValidationFailed")
    assert "rayStartParams['labels'] is not supported" in shown["summary"]
    patch(api, namespace, {"rayClusterSpec": {"headGroupSpec": {"rayStartParams": {"labels": None}}}})
    time.sleep(SETTLED)
    of(state="failed", phase="ValidationFailed")
    assert len(api.find("Pod", namespace)) == 3


def test_the_deadline_ends_a_job_that_has_attempts_left(apply: Callable[..., None], of: Of) -> None:
    apply(lifecycle={"backoffLimit": 3, "activeDeadlineSeconds": 1})
    shown = of(state="failed", phase="Failed")
    assert shown["reason"] == "DeadlineExceeded"
    assert shown["nextSteps"][0]["message"] == "raise activeDeadlineSeconds, or let the program end earlier"


def test_a_failed_submission_is_an_attempt(
    api: Api, apply: Callable[..., None], of: Of, nodes: Kubelet, namespace: str
) -> None:
    apply({"submissionMode": "K8sJobMode", "submitterConfig": {"backoffLimit": 0}}, lifecycle={"backoffLimit": 1})
    clusters = set()
    for failures in (0, 1):
        assert of(phase="Running")["retries"]["used"] == failures
        (each,) = api.find("RayCluster", namespace)
        clusters.add(each["metadata"]["name"])
        (submitter,) = wait("submitter", lambda: [pod for pod in api.find("Pod", namespace) if is_submitter(pod)])
        nodes.exit(submitter, 1)
        wait("the end", lambda: api.get("RayJob", namespace, "mnist")["status"]["failed"] == failures + 1)  # noqa: B023
    assert len(clusters) == 2
    shown = of(state="failed", phase="Failed")
    assert shown["reason"] == "SubmissionFailed"


def test_a_job_of_another_tool_has_only_its_own_pods(
    api: Api, apply: Callable[..., None], cluster: Cluster, of: Of, namespace: str
) -> None:
    apply({"submissionMode": "K8sJobMode"})
    of("rayjob/mnist", state="running", workers=["Running"] * 3, launchers=["Running"])
    api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "other", "namespace": namespace}, "spec": POD})
    query = trainc("status", "--command", "rayjob/mnist", "-n", namespace).out.removesuffix(" | trainc status\n")
    environment = cluster.environment
    done = subprocess.run(query, shell=True, env=environment, capture_output=True, text=True, check=True)
    decoder, text, names = json.JSONDecoder(), done.stdout.strip(), []
    while text:
        shown, end = decoder.raw_decode(text)
        names += [each["metadata"]["name"] for each in shown.get("items", []) if each["kind"] == "Pod"]
        text = text[end:].lstrip()
    assert sorted(names) == sorted(
        pod["metadata"]["name"] for pod in api.find("Pod", namespace) if pod["metadata"]["name"] != "other"
    )
    assert len(names) == 4


def is_submitter(pod: Object) -> bool:
    return "job-name" in pod["metadata"]["labels"] and pod["status"].get("phase") == "Running"
