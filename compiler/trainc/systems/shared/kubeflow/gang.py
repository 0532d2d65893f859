"""Gang in the runPolicy of an operator that creates its group.

https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/apis/kubeflow.org/v1/common_types.go
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainc.ir.job import Gang, Job


def scheduling_policy(job: Job, gang: Gang, launchers: int = 0) -> dict[str, Any]:
    """Return the schedulingPolicy; `launchers` are pods besides the workers."""
    priority = job.pod.placement.priority_class_name if gang.scheduler == "volcano" else None
    fields = {"minAvailable": gang.minimum + launchers, "queue": gang.queue, "priorityClass": priority}
    return {name: value for name, value in fields.items() if value is not None}
