"""Status of bare Pods, which no controller counts or replaces."""

from __future__ import annotations

from collections.abc import Sequence

from trainc.plan.fields import Object
from trainc.status.pod_state import PodState
from trainc.systems.shared.status import ControllerStatus


def observe(resource: Object, pods: Sequence[PodState]) -> ControllerStatus:
    """Return the outcome of all Pods together: each succeeds or fails by itself."""
    phases = {pod.phase for pod in pods}
    if phases == {"Succeeded"}:
        return ControllerStatus(outcome="succeeded", message="all Pods have succeeded")
    if phases and phases <= {"Succeeded", "Failed"}:
        return ControllerStatus(outcome="failed", reason="PodFailed", message="a Pod has failed and is not replaced")
    return ControllerStatus()
