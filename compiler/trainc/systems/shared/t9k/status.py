"""Status of a T9k job, whose operator isn't public: its documented fields.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/deepspeedjob.md#deepspeedjob-状态 and
.../src/references/api-reference/genericjob.md#jobcondition
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.plan.fields import Object, items, mapping, number, text
from trainc.status.containers import running_container
from trainc.status.pod_problems import Problem
from trainc.status.pod_state import PHASES, Phase, PodState
from trainc.systems.shared.lifecycle import Retries
from trainc.systems.shared.status import ControllerStatus, Outcome, object_conditions, with_outcome

_OUTCOMES: dict[str, Outcome] = {"Failed": "failed", "Completed": "succeeded", "Paused": "paused"}
_PHASES: dict[str, Outcome] = {"Failed": "failed", "Succeeded": "succeeded", "Paused": "paused"}


def observe(resource: Object, pods: Sequence[PodState]) -> ControllerStatus:
    """Return the status of a T9k job. The start from which its deadline counts is not among the documented fields."""
    policy, phase = mapping(resource, "spec", "runPolicy"), text(resource, "status", "phase")
    limit, used = number(policy, "backoffLimit"), number(resource, "status", "backoffCount") or 0
    status = ControllerStatus(
        retries=Retries(limit=limit, used=used, fatal=limit + 1, counted="failed pods") if limit is not None else None,
        conditions=object_conditions(resource),
        phase=phase,
        recorded=tuple(_recorded_pods(resource)),
        recorded_restarts=sum(number(each, "restartCount") or 0 for each in items(resource, "status", "tasks")),
    )
    status = with_outcome(resource, status, _OUTCOMES)
    return status if status.outcome else status.replace(outcome=_PHASES.get(phase, ""))


def _recorded_pods(resource: Object) -> Iterator[PodState]:
    """Yield the pods of `status.tasks`: names, uids and phases, without the states of their containers."""
    message = f"the status of the {text(resource, 'kind')} gives no reason"
    for each in [pod for task in items(resource, "status", "tasks") for pod in items(task, "status")]:
        phase: Phase = next((known for known in PHASES if known == text(each, "phase")), "Unknown")
        yield PodState(
            name=text(each, "name"),
            uid=text(each, "uid"),
            hostname=text(each, "name"),
            node="",
            phase=phase,
            problem=None if phase in ("Running", "Succeeded") else Problem(code="not-in-input", message=message),
            containers=(running_container(),) if phase == "Running" else (),
            created=None,
            started=None,
            since=None,
            deleting=None,
            manifest={},
        )
