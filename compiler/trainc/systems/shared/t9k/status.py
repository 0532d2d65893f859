"""Status of a T9k job, whose operator isn't public: its documented fields.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/deepspeedjob.md#deepspeedjob-状态 and
.../src/references/api-reference/genericjob.md#jobcondition
"""

from __future__ import annotations

from collections.abc import Sequence

from trainc.plan.fields import Object, at, mapping, number, text
from trainc.status.pod_state import PodState
from trainc.systems.shared.status import ControllerStatus, Outcome, Retries, object_conditions, with_outcome

_OUTCOMES: dict[str, Outcome] = {"Failed": "failed", "Completed": "succeeded", "Paused": "paused"}
_PHASES: dict[str, Outcome] = {"Failed": "failed", "Succeeded": "succeeded", "Paused": "paused"}


def observe(resource: Object, pods: Sequence[PodState]) -> ControllerStatus:
    """Return the status of a T9k job. The start from which its deadline counts is not among the documented fields."""
    policy, phase = mapping(resource, "spec", "runPolicy"), text(resource, "status", "phase")
    limit, used = number(policy, "backoffLimit"), number(resource, "status", "backoffCount") or 0
    status = ControllerStatus(
        retries=Retries(limit=limit, used=used, fatal=limit + 1, counted="failed pods") if limit is not None else None,
        conditions=object_conditions(resource),
        resume='{"spec":{"runMode":{"pause":{"enabled":false}}}}',
        phase=phase,
    )
    status = with_outcome(status, _OUTCOMES)
    if at(resource, "spec", "runMode", "pause", "enabled") is True and not status.outcome:
        return status.replace(outcome="paused")
    return status if status.outcome else status.replace(outcome=_PHASES.get(phase, ""))
