"""A lost head of a RayJob under the real KubeRay, by submission mode: why trainc asks for a time limit.

No Ray runs in the pods: KubeRay can't ask the cluster about the program, as after a real loss.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.cluster.api import Api, Object
from tests.cluster.cluster import wait
from tests.cluster.kubelet import Kubelet
from tests.cluster.operators.session import Operators
from tests.cluster.test_rayjob import RAYJOB
from tests.cluster.test_rayjob_status import SETTLED, pods
from tests.support.build import compile_objects

Lose = Callable[[Api, Kubelet, Object], None]


def delete(api: Api, _: Kubelet, head: Object) -> None:
    api.delete("Pod", head["metadata"]["namespace"], head["metadata"]["name"])


def fail(_: Api, nodes: Kubelet, head: Object) -> None:
    nodes.exit(head, 1)


@pytest.mark.parametrize(
    ("mode", "policy", "lose", "expected"),
    [
        ("HTTPMode", "Never", delete, "lost"),
        ("HTTPMode", "OnFailure", delete, "lost"),
        ("K8sJobMode", "Never", delete, "lost"),
        ("SidecarMode", "Never", delete, "failed"),
        ("HTTPMode", "Never", fail, "lost"),
        ("HTTPMode", "OnFailure", fail, "restarted"),
        ("HTTPMode", "Always", fail, "restarted"),
        ("SidecarMode", "Never", fail, "failed"),
    ],
)
def test_a_lost_head_fails_an_attempt_in_sidecar_mode_only(
    api: Api, operators: Operators, nodes: Kubelet, namespace: str, mode: str, policy: str, lose: Lose, expected: str
) -> None:
    operators.start("kuberay")
    before, attempt = running(api, namespace, {"backoffLimit": 1}, mode, policy)
    lose(api, nodes, before)
    time.sleep(SETTLED)
    if expected == "failed":
        wait("a new head", lambda: head_of(api, namespace))
    after, status = head_of(api, namespace), api.get("RayJob", namespace, "mnist")["status"]
    is_same = after is not None and after["metadata"]["uid"] == before["metadata"]["uid"]
    assert (status.get("failed", 0), status["rayClusterName"] == attempt, after is not None, is_same) == {
        "lost": (0, True, False, False),
        "restarted": (0, True, True, True),
        "failed": (1, False, True, False),
    }[expected]
    if expected == "lost":
        assert (status["jobDeploymentStatus"], len(pods(api, namespace, "worker"))) == ("Running", 1)
    release(api, namespace)


def test_the_deadline_frees_the_gpus_of_a_job_without_a_head(
    api: Api, operators: Operators, nodes: Kubelet, namespace: str
) -> None:
    operators.start("kuberay")
    head, _ = running(api, namespace, {"backoffLimit": 1, "activeDeadlineSeconds": 20}, "HTTPMode", "Never")
    delete(api, nodes, head)
    wait("the deadline", lambda: api.get("RayJob", namespace, "mnist")["status"]["jobDeploymentStatus"] == "Failed")
    wait("no pods", lambda: not pods(api, namespace, "worker"))
    assert api.get("RayJob", namespace, "mnist")["status"]["reason"] == "DeadlineExceeded"
    release(api, namespace)


def running(api: Api, namespace: str, lifecycle: Object, mode: str, policy: str) -> tuple[Object, str]:
    """Return the head of a running job of two workers, and the name of its cluster."""
    fields: dict[str, Any] = {"launch": {"ray": {}}, "workers": 2, "resources": {"cpu": 1, "memory": "1Gi"}}
    (job,) = compile_objects("rayjob", {"name": "mnist", "namespace": namespace}, RAYJOB, lifecycle=lifecycle, **fields)
    job["spec"]["submissionMode"] = mode
    job["spec"]["rayClusterSpec"]["headGroupSpec"]["template"]["spec"]["restartPolicy"] = policy
    api.apply(job)
    state = wait("Running", lambda: _running(api.get("RayJob", namespace, "mnist")))
    head = head_of(api, namespace)
    assert head is not None
    return head, state["rayClusterName"]


def _running(job: Object) -> Object | None:
    status: Object = job.get("status", {})
    return status if status.get("jobDeploymentStatus") == "Running" else None


def head_of(api: Api, namespace: str) -> Object | None:
    heads = [pod for pod in pods(api, namespace, "head") if not pod["metadata"].get("deletionTimestamp")]
    return next(iter(heads), None)


def release(api: Api, namespace: str) -> None:
    """Remove the finalizer, which stops the program, so that the namespace can be deleted."""
    api.patch("RayJob", namespace, "mnist", {"metadata": {"finalizers": None}})
