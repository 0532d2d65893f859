"""runPolicy of the training operator and of what descends from it.

https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/apis/kubeflow.org/v1/common_types.go
"""

from __future__ import annotations

from typing import Any

from trainc.record import Record
from trainc.source.node import Node, scalar_text
from trainc.span import Text, span_of
from trainc.systems.shared.reader.foreign import Foreign

COSCHEDULING = ("scheduler-plugins-scheduler", "coscheduling")
POLICIES = ("None", "Running", "All")
OPERATOR = "kubeflow.org/training-operator"


class Policy(Record):
    """Fields of lifecycle and scheduling, and whether nothing is to run."""

    lifecycle: dict[str, Any]
    scheduling: dict[str, Any]
    paused: bool


def run_policy(section: Foreign | None, together: int, placed: dict[str, Any], queued: bool) -> Policy:
    """`together` is the number of pods that a gang has by default, `placed` what the pods say of their scheduling."""
    if section is None:
        return Policy(lifecycle={}, scheduling={}, paused=False)
    lifecycle: dict[str, Any] = {
        name: section.take(name) for name in ("activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished")
    }
    clean = section.text("cleanPodPolicy")
    if clean is not None and clean not in POLICIES:
        section.report.wrong(f"there is no cleanPodPolicy {clean}", clean.span, expected=", ".join(POLICIES))
    elif clean not in (None, "None"):
        lifecycle["cleanPodPolicy"] = clean
    manager = section.text("managedBy")
    if manager not in (None, OPERATOR):
        section.report.dropped(section.path_of("managedBy"), section.where("managedBy"), "no operator is asked")
    paused = section.flag("suspend") or False
    if paused and queued:
        # https://kueue.sigs.k8s.io/docs/tasks/run/kubeflow/pytorchjobs/, and so kubectl shows a job that waits
        message = "the job isn't paused: Kueue suspends it by itself, and starts it when the queue has room"
        section.report.changed(message, section.where("suspend"))
        paused = False
    policy = section.section("schedulingPolicy")
    scheduling = _gang(policy, together, placed) if policy is not None else {}
    return Policy(lifecycle=lifecycle, scheduling=scheduling, paused=paused)


def _gang(policy: Foreign, together: int, placed: dict[str, Any]) -> dict[str, Any]:
    """The operator makes a PodGroup of Volcano's or of the scheduler plugins', by one of its own flags."""
    least, queue, priority = policy.number("minAvailable"), policy.text("queue"), policy.text("priorityClass")
    if least not in (None, together):
        why = f"the gang is of {together}, as many as the job needs to train"
        policy.report.dropped(policy.path_of("minAvailable"), policy.where("minAvailable"), why)
    found: dict[str, Any] = {}
    own = placed.get("priorityClassName")
    if scalar_text(placed.get("schedulerName")) in COSCHEDULING:
        found[Text("gang", policy.node.span.first)] = "coscheduling"
        if queue is not None:
            policy.report.dropped(policy.path_of("queue"), queue.span, "the scheduler plugin has no queues")
        if priority is not None:
            why = "a PodGroup of the scheduler plugin has none"
            policy.report.dropped(policy.path_of("priorityClass"), priority.span, why)
    else:
        found["gang"] = {"volcano": {"queue": queue}} if queue not in (None, "default") else "volcano"
        if priority is not None:
            found["priorityClassName"] = _for_pods(policy, priority, own)
    return found


def _for_pods(policy: Foreign, priority: Text, own: Node | None) -> Text:
    """Volcano orders groups by theirs; the pods may have another, by which they are evicted."""
    if own is None:
        message = f"`{policy.path_of('priorityClass')}` is the pods' own, too: trainc has one for both"
        policy.report.changed(message, priority.span)
    elif scalar_text(own) != priority:
        why = f"it differs from the group's, {priority}, and trainc has one for both"
        policy.report.dropped("priorityClassName", span_of(own) or priority.span, why)
    return priority
