"""Problems of single pods, from status fields that the kubelet and the controllers set."""

from __future__ import annotations

from typing import Any

import pytest

from trainc.status.events import Events
from trainc.status.pod_state import PodState, pod_state

Object = dict[str, Any]
TIME = "2026-11-22T11:00:00Z"


def state(
    phase: str, container: Object | None = None, *, node: str = "n", init: Object | None = None, **status: Any
) -> PodState:
    """Return the state of a pod with one container, and perhaps an init container, in these states."""
    statuses: Object = {"phase": phase, **status}
    for field, each in (("containerStatuses", container), ("initContainerStatuses", init)):
        if each is not None:
            statuses[field] = [{"name": "main", "restartCount": 0, "ready": False, **each}]
    metadata = {"name": "a", "uid": "1", "creationTimestamp": TIME}
    spec = {"nodeName": node, "containers": [{"name": "main"}]}
    return pod_state({"kind": "Pod", "metadata": metadata, "spec": spec, "status": statuses}, Events([]))


def waiting(reason: str, message: str = "", **fields: Any) -> Object:
    return {"state": {"waiting": {"reason": reason, "message": message}}, **fields}


def ended(code: int, reason: str = "Error", message: str = "") -> Object:
    return {"state": {"terminated": {"exitCode": code, "reason": reason, "message": message, "finishedAt": TIME}}}


def condition(kind: str, status: str, reason: str, message: str = "") -> list[Object]:
    return [{"type": kind, "status": status, "reason": reason, "message": message}]


RUNNING = {"state": {"running": {"startedAt": TIME}}, "ready": True}


@pytest.mark.parametrize(
    ("pod", "code", "message"),
    [
        (state("Pending", node=""), "no-scheduler", "default-scheduler has not reported about it"),
        (
            state(
                "Pending",
                node="",
                conditions=condition("PodScheduled", "False", "Unschedulable", "0/2 nodes are available: 2 x."),
            ),
            "unschedulable",
            "none of 2 nodes fits: 2 x",
        ),
        (state("Pending", waiting("ErrImagePull", "not found")), "image-pull", "ErrImagePull: not found"),
        (state("Pending", waiting("InvalidImageName")), "image-name", "InvalidImageName"),
        (
            state("Pending", waiting("CreateContainerConfigError", 'secret "a" not found')),
            "container-config",
            'CreateContainerConfigError: secret "a" not found',
        ),
        (state("Pending", waiting("PodInitializing"), init=RUNNING), "initializing", "init container main runs"),
        (
            state("Pending", waiting("PodInitializing"), init=ended(1)),
            "init-container",
            "init container main failed: exit code 1",
        ),
        (state("Pending", waiting("ContainerCreating")), "starting", "its containers are being created"),
        (
            state(
                "Running",
                waiting("CrashLoopBackOff", "back-off", restartCount=3, lastState=ended(137, "OOMKilled")["state"]),
            ),
            "crash-loop",
            "waits to be restarted: its container ended with OOMKilled (exit code 137)",
        ),
        (state("Running", {**RUNNING, "ready": False}), "not-ready", "it runs, but is not ready"),
        (
            state(
                "Running",
                RUNNING,
                conditions=[*condition("Ready", "False", ""), *condition("ContainersReady", "True", "")],
            ),
            "node-lost",
            "node n no longer reports: the state of the pod is unknown",
        ),
        (state("Failed", ended(137, "OOMKilled")), "oom-killed", "OOMKilled (exit code 137)"),
        (state("Failed", ended(139)), "exit-code", "exit code 139 (SIGSEGV)"),
        (
            state("Failed", ended(128, "StartError", 'exec: "torchrun": not found')),
            "exit-code",
            'exit code 128 (the container did not start): exec: "torchrun": not found',
        ),
        (state("Failed", reason="Evicted", message="low on memory"), "evicted", "Evicted: low on memory"),
        (state("Failed", reason="DeadlineExceeded"), "deadline", "DeadlineExceeded"),
        (state("Failed", reason="NodeShutdown"), "node-shutdown", "NodeShutdown"),
        (state("Failed", reason="OutOfnvidia.com/gpu", message="8 > 0"), "rejected", "OutOfnvidia.com/gpu: 8 > 0"),
        (
            state(
                "Failed", ended(143), conditions=condition("DisruptionTarget", "True", "PreemptionByScheduler", "for x")
            ),
            "preempted",
            "preempted by a pod of higher priority: for x",
        ),
        (state("Failed"), "rejected", "no reason is given"),
    ],
)
def test_problem(pod: PodState, code: str, message: str) -> None:
    assert pod.problem
    assert (pod.problem.code, pod.problem.message) == (code, message)


@pytest.mark.parametrize("pod", [state("Running", RUNNING), state("Succeeded", ended(0, "Completed"))])
def test_no_problem(pod: PodState) -> None:
    assert pod.problem is None


@pytest.mark.parametrize(
    ("pod", "phase"),
    [(state("Pending", node=""), "Creating"), (state("Pending"), "Pending"), (state("Lost"), "Unknown")],
)
def test_phase_as_in_a_t9k_status(pod: PodState, phase: str) -> None:
    assert pod.phase == phase


def test_gates_hold_a_pod_back() -> None:
    spec = {"schedulingGates": [{"name": "kueue.x-k8s.io/admission"}]}
    pod = pod_state({"metadata": {"name": "a"}, "spec": spec, "status": {"phase": "Pending"}}, Events([]))
    assert pod.problem
    assert pod.problem.message == "held back by the scheduling gate kueue.x-k8s.io/admission"
