"""Objects of a RayJob, by hand from the source of KubeRay 1.5.0; tests/cluster/test_rayjob.py compares real pods."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import TARGET, compile_objects
from trainc.plan.plan import plan
from trainc.systems.rayjob.model import operator_output, replicas
from trainc.systems.rayjob.model.submission import entrypoint_words

RAY: dict[str, Any] = {"launch": {"ray": {}}, "run": {"exec": ["train"]}}


def rayjob(name: str = "demo", **fields: Any) -> Any:
    target = TARGET.replace(backend="rayjob")
    (job,) = compile_objects("rayjob", {"name": name, "namespace": "ml"}, target, workers=3, **RAY)
    return {**job, "spec": {**job["spec"], **fields}}


def kinds(job: Any) -> list[str]:
    return [each["kind"] for each in operator_output(job, []).objects]


def test_http_mode_has_no_pod_but_the_workers() -> None:
    assert kinds(rayjob()) == ["RayCluster", "Pod", "Pod", "Pod", "Service", "Service"]


@pytest.mark.parametrize("mode", ["K8sJobMode", None])
def test_the_submitter_is_a_job_with_one_more_pod(mode: str | None) -> None:
    job = rayjob(submissionMode=mode)
    assert kinds(job)[-1] == "Job"
    submitter = operator_output(job, []).objects[-1]
    assert submitter["launcher"] is True
    assert submitter["spec"]["backoffLimit"] == 2
    assert submitter["spec"]["template"]["spec"]["containers"][0]["resources"]["requests"]["cpu"] == "500m"


def test_workers_wait_for_the_head_s_service() -> None:
    _, head, worker, *_ = operator_output(rayjob(), []).objects
    assert "initContainers" not in head["spec"] or head["spec"]["initContainers"] == []
    (wait,) = worker["spec"]["initContainers"]
    assert wait["name"] == "wait-gcs-ready"
    assert "--address demo-‹random›-head-svc.ml.svc.cluster.local:6379" in wait["args"][0]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"shutdownAfterJobFinishes": False, "suspend": True}, "can't be suspended"),
        ({"shutdownAfterJobFinishes": False, "ttlSecondsAfterFinished": 1}, "requires `shutdownAfterJobFinishes"),
        ({"activeDeadlineSeconds": 0}, "not positive"),
        ({"backoffLimit": -1}, "negative"),
        ({"submissionMode": "InteractiveMode", "backoffLimit": 1}, "can't restart"),
        ({"rayClusterSpec": None}, "neither rayClusterSpec nor clusterSelector"),
    ],
)
def test_kuberay_rejects(change: dict[str, Any], reason: str) -> None:
    (error,) = operator_output(rayjob(**change), []).errors
    assert reason in error.message


@pytest.mark.parametrize("name", ["a" * 48, "9a", "a.b"])
def test_names_are_short_labels(name: str) -> None:
    job = rayjob()
    job["metadata"]["name"] = name
    assert operator_output(job, []).errors


def test_a_group_has_its_replicas_within_its_bounds() -> None:
    assert replicas({"replicas": 5, "minReplicas": 0, "maxReplicas": 3}) == 3
    assert replicas({"minReplicas": 2, "numOfHosts": 2}) == 4
    assert replicas({"replicas": 5, "suspend": True}) == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [("python a.py 'b c'", ["python", "a.py", "b c"]), ("a && b", ["sh", "-c", "a && b"]), ("", [])],
)
def test_words_of_an_entrypoint(text: str, words: list[str]) -> None:
    assert entrypoint_words(text) == words


def effects(job: Any) -> dict[str, str]:
    return {each.trigger: each.effect for each in plan([job]).failure_cases}


LOST = "the RayJob stays Running, and the pods keep their GPUs, until {}"


@pytest.mark.parametrize(
    ("change", "head", "lost"),
    [
        ({}, f"its pod is not created anew: {LOST}", LOST.format("you delete it")),
        ({"activeDeadlineSeconds": 3600}, f"its pod is not created anew: {LOST}", "its deadline of 1 h"),
        ({"submissionMode": "K8sJobMode"}, "its pod is not created anew: the submitter's", "counts as a failure"),
        ({"submissionMode": "SidecarMode"}, "its pod is not created anew: this counts", "counts as a failure"),
    ],
)
def test_a_lost_head_is_not_created_anew(change: dict[str, Any], head: str, lost: str) -> None:
    """reconcilePods of raycluster_controller.go, after all pods were ready; a test of tests/cluster runs it."""
    cases = effects(rayjob(**change))
    assert cases["the head fails"].startswith(head.partition("{")[0])
    assert cases["node failure or pod deletion"].startswith("a worker's pod is created anew, the head's is not: ")
    assert lost in cases["node failure or pod deletion"]


def test_a_container_that_restarts_keeps_the_pod_of_the_head() -> None:
    """shouldDeletePod deletes it only with restartPolicy Never."""
    job = rayjob()
    job["spec"]["rayClusterSpec"]["headGroupSpec"]["template"]["spec"]["restartPolicy"] = "Always"
    assert "KubeRay submits the program again" in effects(job)["the head fails"]
