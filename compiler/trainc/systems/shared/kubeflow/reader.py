"""Translate the runPolicy of the training operator and of operators built on kubeflow/common.

https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/apis/kubeflow.org/v1/common_types.go
"""

from __future__ import annotations

from typing import Any

from trainc.source.node import scalar_text
from trainc.span import Text
from trainc.systems.shared.fields import Fields
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.job_policies import report_manager, translate_mode

COSCHEDULING = ("scheduler-plugins-scheduler", "coscheduling")
CLEAN_POD_POLICY = "lifecycle.cleanPodPolicy"
CLEAN_POD_POLICIES = ("None", "Running", "All")
RESTART_POLICIES = ("Always", "OnFailure", "Never", "ExitCode")
OPERATOR = "kubeflow.org/training-operator"


def lifecycle_fields(section: ForeignMapping, fields: Fields) -> dict[str, Any]:
    """Return the fields of `lifecycle` that a runPolicy has."""
    lifecycle, clean = section.fields(fields, "lifecycle"), fields.get(CLEAN_POD_POLICY)
    if clean is not None:
        policy = section.choice(clean.name, CLEAN_POD_POLICIES)
        lifecycle["cleanPodPolicy"] = policy if policy != "None" else None
    return lifecycle


def translate_run_policy(
    section: ForeignMapping | None, fields: Fields, minimum: int, placement: dict[str, Any], queued: bool
) -> dict[str, Any]:
    """Return `lifecycle`, `scheduling` and `mode`.

    `fields` is the system's table, `minimum` the default size of a gang, `placement` the pods' own scheduling fields.
    """
    if section is None:
        return {"lifecycle": {}, "scheduling": {}, "mode": None}
    lifecycle = lifecycle_fields(section, fields)
    report_manager(section, OPERATOR)
    mode = translate_mode(section, queued)
    policy = section.section(fields["scheduling.gang"].name)
    scheduling = _gang(policy, minimum, placement) if policy is not None else {}
    return {"lifecycle": lifecycle, "scheduling": scheduling, "mode": mode}


def _gang(policy: ForeignMapping, minimum: int, placement: dict[str, Any]) -> dict[str, Any]:
    """Return the gang; a flag of the operator decides between PodGroups of Volcano and of scheduler-plugins."""
    report, scheduler = policy.report, scalar_text(placement.get("schedulerName"))
    size, queue, priority = policy.integer("minAvailable"), policy.string("queue"), policy.string("priorityClass")
    if size not in (None, minimum):
        why = f"the size of the gang is {minimum}, the number of pods that the job needs to train"
        policy.drop("minAvailable", why)
    if scheduler in COSCHEDULING:
        for name, value in (("queue", queue), ("priorityClass", priority)):
            if value is not None:
                report.add_dropped(policy.path_of(name), value.span, f"PodGroups of scheduler-plugins have no {name}")
        return {Text("gang", policy.node.span.first): "coscheduling"}
    fields: dict[str, Any] = {"gang": {"volcano": {"queue": queue}} if queue not in (None, "default") else "volcano"}
    if scheduler == "volcano":
        fields["schedulerName"] = None  # implied by the gang
    if priority is not None:  # one class serves for Volcano's order of gangs and for the eviction of pods
        fields["priorityClassName"] = priority
        pod_priority = placement.get("priorityClassName")
        if pod_priority is None:
            message = f"`{policy.path_of('priorityClass')}` also becomes the pods' priorityClassName"
            report.add_change(message, priority.span)
        elif scalar_text(pod_priority) != priority:
            why = f"the gang's priority class `{priority}` is used for the pods too"
            report.add_dropped("priorityClassName", pod_priority.span, why)
    return fields
