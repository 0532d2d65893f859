"""runPolicy of the training operator and of what descends from it.

https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/apis/kubeflow.org/v1/common_types.go
"""

from __future__ import annotations

from typing import Any

from trainc.record import Record
from trainc.source.node import Node, scalar_text
from trainc.span import Text, span_of
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping

COSCHEDULING = ("scheduler-plugins-scheduler", "coscheduling")
POLICIES = ("None", "Running", "All")
OPERATOR = "kubeflow.org/training-operator"


class RunPolicy(Record):
    """Fields of lifecycle and scheduling, and whether nothing is to run."""

    lifecycle: dict[str, Any]
    scheduling: dict[str, Any]
    paused: bool


def translate_run_policy(
    section: ForeignMapping | None, together: int, placed: dict[str, Any], queued: bool
) -> RunPolicy:
    """`together` is the number of pods that a gang has by default, `placed` what the pods say of their scheduling."""
    if section is None:
        return RunPolicy(lifecycle={}, scheduling={}, paused=False)
    lifecycle: dict[str, Any] = {
        name: section.consume(name) for name in ("activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished")
    }
    clean = section.string("cleanPodPolicy")
    if clean is not None and clean not in POLICIES:
        section.report.add_error(f"there is no cleanPodPolicy {clean}", clean.span, expected=", ".join(POLICIES))
    elif clean not in (None, "None"):
        lifecycle["cleanPodPolicy"] = clean
    manager = section.string("managedBy")
    if manager not in (None, OPERATOR):
        section.report.add_dropped(section.path_of("managedBy"), section.where("managedBy"), "no operator is asked")
    paused = section.boolean("suspend") or False
    if paused and queued:
        # https://kueue.sigs.k8s.io/docs/tasks/run/kubeflow/pytorchjobs/, and so kubectl shows a job that waits
        message = "the job isn't paused: Kueue suspends it by itself, and starts it when the queue has room"
        section.report.add_change(message, section.where("suspend"))
        paused = False
    policy = section.section("schedulingPolicy")
    scheduling = _gang(policy, together, placed) if policy is not None else {}
    return RunPolicy(lifecycle=lifecycle, scheduling=scheduling, paused=paused)


def _gang(policy: ForeignMapping, together: int, placed: dict[str, Any]) -> dict[str, Any]:
    """The operator makes a PodGroup of Volcano's or of the scheduler plugins', by one of its own flags."""
    least, queue, priority = policy.integer("minAvailable"), policy.string("queue"), policy.string("priorityClass")
    if least not in (None, together):
        why = f"the gang is of {together}, as many as the job needs to train"
        policy.report.add_dropped(policy.path_of("minAvailable"), policy.where("minAvailable"), why)
    found: dict[str, Any] = {}
    own = placed.get("priorityClassName")
    if scalar_text(placed.get("schedulerName")) in COSCHEDULING:
        found[Text("gang", policy.node.span.first)] = "coscheduling"
        if queue is not None:
            policy.report.add_dropped(policy.path_of("queue"), queue.span, "the scheduler plugin has no queues")
        if priority is not None:
            why = "a PodGroup of the scheduler plugin has none"
            policy.report.add_dropped(policy.path_of("priorityClass"), priority.span, why)
    else:
        found["gang"] = {"volcano": {"queue": queue}} if queue not in (None, "default") else "volcano"
        if priority is not None:
            found["priorityClassName"] = _for_pods(policy, priority, own)
    return found


def _for_pods(policy: ForeignMapping, priority: Text, own: Node | None) -> Text:
    """Volcano orders groups by theirs; the pods may have another, by which they are evicted."""
    if own is None:
        message = f"`{policy.path_of('priorityClass')}` is the pods' own, too: trainc has one for both"
        policy.report.add_change(message, priority.span)
    elif scalar_text(own) != priority:
        why = f"it differs from the group's, {priority}, and trainc has one for both"
        policy.report.add_dropped("priorityClassName", span_of(own) or priority.span, why)
    return priority
