"""Status of a TrainJob: Reconcile of
https://github.com/kubeflow/trainer/blob/v2.3.0/pkg/controller/trainjob_controller.go

Its JobSet knows the restarts and the workers.
"""

from __future__ import annotations

from collections.abc import Sequence

from trainc.plan.fields import Object, items, number, text
from trainc.plan.models import is_suspended
from trainc.status.pod_state import PodState
from trainc.status.times import timestamp
from trainc.systems.shared.status import ControllerStatus, Outcome, object_conditions, with_outcome
from trainc.systems.trainjob.facts import INITIALIZERS

_OUTCOMES: dict[str, Outcome] = {"Failed": "failed", "Complete": "succeeded", "Suspended": "paused"}


def observe(resource: Object, pods: Sequence[PodState]) -> ControllerStatus:
    """Return the status of a TrainJob, whose deadline begins anew when it resumes."""
    conditions = object_conditions(resource)
    resumed = next((each.time for each in conditions if (each.type, each.status) == ("Suspended", "False")), None)
    status = ControllerStatus(
        started=resumed or timestamp(resource, "metadata", "creationTimestamp"),
        deadline=number(resource, "spec", "activeDeadlineSeconds"),
        desired=0 if is_suspended(resource) else None,
        waits=_waits(resource),
        conditions=conditions,
    )
    return with_outcome(resource, status, _OUTCOMES)


def _waits(resource: Object) -> str:
    """Return which initializer the workers wait for: their Job depends on it."""
    for job in items(resource, "status", "jobsStatus"):
        name = text(job, "name")
        if name in INITIALIZERS and not number(job, "succeeded"):
            return f"the job `{name}` has not completed"
    return ""
