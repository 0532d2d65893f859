"""What Trainer's CRDs and webhook let change in a TrainJob and its runtime, and what its controller does then.

The CEL rules in https://github.com/kubeflow/trainer/blob/v2.3.0/pkg/apis/trainer/v1alpha1/trainjob_types.go,
checkRuntimePatchesImmutability and Build in
https://github.com/kubeflow/trainer/blob/v2.3.0/pkg/runtime/framework/plugins/jobset/jobset.go
"""

from __future__ import annotations

from trainc.plan.fields import at
from trainc.systems.jobset.changes import ONCE_SET
from trainc.systems.shared.changes import Change, Effect, Refusal, immutable, refusals, suspension

_ONCE_SET = ("runtimeRef", "initializer", "trainer", "activeDeadlineSeconds", "managedBy")
# Fields from which Trainer makes the JobSet.
_OF_JOB_SET = ("runtimeRef", "initializer", "trainer", "runtimePatches")
# https://github.com/kubeflow/trainer/blob/v2.3.0/pkg/runtime/core/snapshot.go
_COPY = "a TrainJob keeps the copy of its runtime from its start"


def effect_on_train_job(change: Change) -> Effect:
    """Return the effect of a change of a TrainJob."""
    once_set = (f"spec.{field}" for field in _ONCE_SET)
    refused = (*immutable(change, *once_set, once_set=True), *_patches(change))
    if refused:
        return Effect(refused=refused)
    suspended = suspension(change, "spec", "suspend")
    if suspended:
        return Effect(pods=suspended, reason=f"the TrainJob is {'suspended' if suspended == 'ended' else 'resumed'}")
    if any(change.below("spec", field) for field in _OF_JOB_SET):
        return Effect(is_pending=True, reason="Trainer doesn't change a JobSet that runs")
    return Effect()


def _patches(change: Change) -> tuple[Refusal, ...]:
    if any(at(each, "spec", "suspend") is True for each in (change.old, change.new)):
        return ()
    reason = "spec.runtimePatches can only change if the TrainJob is suspended before or after the change"
    return refusals(change.below("spec", "runtimePatches"), reason)


def effect_on_runtime(change: Change) -> Effect:
    """Return the effect of a change of a TrainingRuntime, whose JobSet has the rules of JobSet's CRD."""
    refused = tuple(immutable(change, *(f"spec.template.spec.{field}" for field in ONCE_SET), once_set=True))
    if refused:
        return Effect(refused=refused)
    return Effect(is_pending=True, reason=_COPY) if change.below("spec") else Effect()


EFFECTS = {
    "TrainJob": effect_on_train_job,
    "TrainingRuntime": effect_on_runtime,
    "ClusterTrainingRuntime": effect_on_runtime,
}
