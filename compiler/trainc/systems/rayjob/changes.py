"""What KubeRay 1.5 does with a changed RayJob. No webhook rejects a change; rules of the CRD reject some.

Reconcile, getOrCreateRayClusterInstance and initRayJobStatusIfNeed of
https://github.com/ray-project/kuberay/blob/v1.5.0/ray-operator/controllers/ray/rayjob_controller.go
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.plan.fields import number, text
from trainc.systems.rayjob import facts
from trainc.systems.rayjob.model.validation import validation_errors
from trainc.systems.shared.changes import Change, Effect, Refusal, suspension

# The CRD's rule compares two values: the field can be added and removed.
_MANAGERS = (("spec", "managedBy"), ("spec", "rayClusterSpec", "managedBy"))
# Fields that each reconciliation reads anew.
_CURRENT = (
    *("suspend", "backoffLimit", "activeDeadlineSeconds"),
    *("shutdownAfterJobFinishes", "ttlSecondsAfterFinished", "deletionStrategy"),
)
_KEPT = "KubeRay changes neither a cluster that runs nor a program that it has submitted"


def effect_on_ray_job(change: Change) -> Effect:
    """Return the effect of a change of a RayJob."""
    refused = tuple(_refused(change))
    if refused:
        return Effect(refused=refused)
    error = next(validation_errors(change.new), None)
    if error is not None and next(validation_errors(change.old), None) is None:
        # Reconcile fails the RayJob and never leaves this state, also after another change.
        reason = f"KubeRay fails the RayJob for good, and its pods run on: {error.message}"
        return Effect(is_pending=True, training="needs re-creation", reason=reason)
    suspended = suspension(change)
    if suspended:
        return suspended
    waits = _endless_wait(*(text(each, "spec", "submissionMode") or facts.K8S_JOB for each in (change.old, change.new)))
    if waits and not text(change.new, "spec", "jobId"):
        return Effect(is_pending=True, training="needs re-creation", reason=waits)
    is_pending = any(each.path[1] not in _CURRENT for each in change.fields if each.path[0] == "spec")
    return Effect(is_pending=is_pending, reason=_reason(change) if is_pending else "")


def _refused(change: Change) -> Iterator[Refusal]:
    for path in _MANAGERS:
        old, new = change.values(*path)
        if old is not None and new is not None and old != new:
            yield Refusal(field=".".join(path), reason=f"{'.'.join(path)} is immutable")


def _reason(change: Change) -> str:
    retries = number(change.new, "spec", "backoffLimit") or 0
    return f"{_KEPT}; an attempt after a failure has the change" if retries else _KEPT


def _endless_wait(old: str, new: str) -> str:
    """Return what KubeRay waits for in vain after another submissionMode; empty if it doesn't."""
    if old == new:
        return ""
    if old == facts.INTERACTIVE:
        return "KubeRay waits for a program that you submit, whatever the new submissionMode is"
    return {
        facts.K8S_JOB: "KubeRay waits for the Job of a submitter, which it creates with the cluster only",
        facts.SIDECAR: "KubeRay waits for a submitter in the head's pod, which it creates with the cluster only",
    }.get(new, "")


EFFECTS = {"RayJob": effect_on_ray_job}
