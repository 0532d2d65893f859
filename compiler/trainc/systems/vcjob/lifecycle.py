"""What follows an event of a pod of a Job of Volcano.

Docstrings name the functions that the code follows, of
https://github.com/volcano-sh/volcano/tree/v1.15.1/pkg/controllers/job
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainc.plan.fields import Object, listed, number, text
from trainc.systems.shared.lifecycle import Retries
from trainc.systems.vcjob.facts import MAX_RETRY

if TYPE_CHECKING:
    from trainc.systems.vcjob.model.spec import Job, Task


def retries(spec: Object) -> Retries:
    """Return the limit of restarts, at whose number the Job fails: restartingState of state/restarting.go."""
    limit = number(spec, "maxRetry") or MAX_RETRY
    return Retries(limit=limit, fatal=limit, counted="restarts")


def action(job: Job, task: Task, event: str, code: int | None = None) -> str:
    """Return the action after an event of a pod, or after its exit code, empty if no policy matches: applyPolicies of
    job_controller_util.go."""
    for policies in (task.policies, listed(job.spec, "policies")):
        for policy in policies:
            events = [*listed(policy, "events"), text(policy, "event")]
            if event in events or "*" in events or (code is not None and number(policy, "exitCode") == code):
                return text(policy, "action")
    return ""
