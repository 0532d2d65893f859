"""Problems of a pod: why it does not run yet, runs with faults, or failed. Each has a code for programs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from trainc.plan.fields import Object, items, text
from trainc.record import Record
from trainc.status.containers import ContainerStatus
from trainc.status.events import Event
from trainc.status.scheduling import Unschedulable, gates, scheduler_has_tried, unschedulable

# Reasons of a waiting container: https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/kubelet/images/types.go and
# .../pkg/kubelet/kuberuntime/kuberuntime_container.go
_WAITING = {
    "ErrImagePull": "image-pull",
    "ImagePullBackOff": "image-pull",
    "RegistryUnavailable": "image-pull",
    "SignatureValidationFailed": "image-pull",
    "ImageInspectError": "image-pull",
    "ErrImageNeverPull": "image-never-pulled",
    "InvalidImageName": "image-name",
    "CreateContainerConfigError": "container-config",
    "CreateContainerError": "container-create",
    "RunContainerError": "container-create",
    "CrashLoopBackOff": "crash-loop",
}
# Reasons of a pod's failure: .../pkg/kubelet/eviction/eviction_manager.go, .../pkg/kubelet/nodeshutdown,
# .../pkg/kubelet/preemption and .../pkg/kubelet/lifecycle/predicate.go
_FAILED = {
    "Evicted": "evicted",
    "Preempting": "preempted",
    "DeadlineExceeded": "deadline",
    "NodeLost": "node-lost",
    "NodeShutdown": "node-shutdown",
    "Terminated": "node-shutdown",
    "Shutdown": "node-shutdown",
}
# Reasons of the condition DisruptionTarget:
# https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions
_DISRUPTIONS = {
    "PreemptionByScheduler": ("preempted", "preempted by a pod of higher priority"),
    "DeletionByTaintManager": ("node-lost", "evicted from its node, which has a taint that it doesn't tolerate"),
    "EvictionByEvictionAPI": ("evicted", "evicted through the API, as `kubectl drain` does"),
    "DeletionByPodGC": ("node-lost", "deleted because its node is gone"),
    "TerminationByKubelet": ("evicted", "terminated by its kubelet"),
}
LOST = "node-lost"  # code of a pod whose node no longer reports
_VOLUME_EVENTS = ("FailedMount", "FailedAttachVolume", "FailedMapVolume")
_NETWORK_EVENTS = ("FailedCreatePodSandBox",)


class Problem(Record):
    """Problem of a pod or a job: a code, and a clause in the present tense."""

    code: str
    message: str
    time: datetime | None = None
    container: str = ""
    scheduling: Unschedulable | None = None


def problem(pod: Object, phase: str, containers: Sequence[ContainerStatus], events: list[Event]) -> Problem | None:
    """Return the problem of a pod that has not failed; None if it makes progress or has succeeded."""
    if phase == "Creating":
        return _without_node(pod)
    if phase == "Succeeded":
        return None
    in_any_phase = _lost_node(pod) or _blocked(containers) or _disruption(pod)
    return in_any_phase or (_starting(containers, events) if phase == "Pending" else _running(containers))


def _without_node(pod: Object) -> Problem | None:
    held_by = gates(pod)
    if held_by:
        return Problem(code="gated", message=f"held back by the scheduling gate {', '.join(held_by)}")
    refused = unschedulable(pod)
    if refused:
        return Problem(code="unschedulable", message=str(refused), scheduling=refused)
    if not scheduler_has_tried(pod):
        scheduler = text(pod, "spec", "schedulerName") or "default-scheduler"
        return Problem(code="no-scheduler", message=f"{scheduler} has not reported about it")
    return None


def _lost_node(pod: Object) -> Problem | None:
    """Return the problem of a pod whose node no longer reports; its containers may run on.

    The node controller then sets Ready, and nothing else: MarkPodsNotReady in
    https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/controller/util/node/controller_utils.go
    """
    states = {text(each, "type"): text(each, "status") for each in items(pod, "status", "conditions")}
    is_contradiction = states.get("Ready") == "False" and states.get("ContainersReady") == "True"
    if not is_contradiction or items(pod, "spec", "readinessGates"):
        return None
    node = text(pod, "spec", "nodeName")
    return Problem(code=LOST, message=f"node {node} no longer reports: the state of the pod is unknown")


def _blocked(containers: Sequence[ContainerStatus]) -> Problem | None:
    """Return the problem of a container that can't start."""
    container = next((each for each in containers if each.reason in _WAITING), None)
    if container is None:
        return None
    code, message = _WAITING[container.reason], " ".join(container.message.split())
    if code == "crash-loop":
        message = f"its container ended with {container.exit}" if container.exit else message
        return Problem(code=code, message=f"waits to be restarted: {message}", container=container.name)
    message = f"{container.reason}: {message}" if message else container.reason
    return Problem(code=code, message=message, container=container.name)


def _starting(containers: Sequence[ContainerStatus], events: list[Event]) -> Problem:
    for each in (each for each in containers if each.is_init and not each.keeps_running):
        if each.exit and each.exit.code:
            return Problem(code="init-container", message=f"init container {each.name} failed: {each.exit}")
        if each.state == "Running":
            return Problem(code="initializing", message=f"init container {each.name} runs")
    for codes, code in ((_VOLUME_EVENTS, "volume"), (_NETWORK_EVENTS, "network")):
        event = next((each for each in reversed(events) if each.reason in codes), None)
        if event:
            return Problem(code=code, message=f"{event.reason}: {' '.join(event.message.split())}", time=event.time)
    pulling = next((each for each in reversed(events) if each.reason == "Pulling"), None)
    if pulling and not any(each.reason == "Pulled" for each in events[events.index(pulling) :]):
        return Problem(code="pulling", message=pulling.message, time=pulling.time)
    return Problem(code="starting", message="its containers are being created")


def _running(containers: Sequence[ContainerStatus]) -> Problem | None:
    ended = next((each for each in containers if not each.is_init and each.state == "Terminated"), None)
    if ended is not None and ended.exit:
        message = f"container {ended.name} ended: {ended.exit}"
        return Problem(code="container-ended", message=message, time=ended.exit.time)
    restarted = [each for each in containers if each.restarts and each.exit and not each.is_init]
    if restarted:
        last = max(restarted, key=lambda each: each.restarts)
        return Problem(code="restarted", message=f"its last run ended with {last.exit}", container=last.name)
    if not all(each.ready for each in containers if not each.is_init or each.keeps_running):
        return Problem(code="not-ready", message="it runs, but is not ready")
    return None


def _disruption(pod: Object) -> Problem | None:
    for each in items(pod, "status", "conditions"):
        if text(each, "type") == "DisruptionTarget" and text(each, "status") == "True":
            code, message = _DISRUPTIONS.get(text(each, "reason"), ("evicted", text(each, "reason")))
            detail = " ".join(text(each, "message").split())
            return Problem(code=code, message=f"{message}: {detail}" if detail else message)
    return None


def failure(pod: Object, containers: Sequence[ContainerStatus]) -> Problem:
    """Return why a pod failed."""
    disruption = _disruption(pod)
    if disruption:
        return disruption
    reason, message = text(pod, "status", "reason"), " ".join(text(pod, "status", "message").split())
    if reason in _FAILED:
        return Problem(code=_FAILED[reason], message=f"{reason}: {message}" if message else reason)
    ends = [each for each in containers if each.state == "Terminated" and each.exit and each.exit.code]
    if ends:
        first = min(ends, key=lambda each: (each.exit.time is None, each.exit.time) if each.exit else (True, None))
        end = first.exit
        code = "oom-killed" if end and end.reason == "OOMKilled" else "exit-code"
        shown = str(end) + (f": {' '.join(end.message.split())}" if end and end.message else "")
        return Problem(code=code, message=shown, time=end.time if end else None, container=first.name)
    # A node that refuses the pod: OutOfcpu, NodeAffinity, UnexpectedAdmissionError, Topology…
    return Problem(code="rejected", message=f"{reason}: {message}" if message else reason or "no reason is given")
