"""What Trainer's webhook lets change in a TrainJob and its runtime, and what its controller does then.

checkRuntimePatchesImmutability and Build in
https://github.com/kubeflow/trainer/blob/v2.3.0/pkg/runtime/framework/plugins/jobset/jobset.go; those of v2.1, v2.2
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainc.plan.models import is_suspended
from trainc.systems.jobset.changes import MUTABLE
from trainc.systems.shared.changes import ITEM, Change, Effect, Refusal, refusals, suspension
from trainc.systems.trainjob.facts import VERSIONS, WITH_COPIES
from trainc.systems.trainjob.traits import TRAITS

# Differences from the runtime; the second is their name in Trainer 2.1.
_PATCHES = ("runtimePatches", "podTemplateOverrides")
# Fields from which Trainer makes the JobSet.
_OF_JOB_SET = ("runtimeRef", "initializer", "trainer", *_PATCHES)
# Templates in a patch, and what JobSet lets change in them: of the JobSet itself, and of the pods.
_JOB_SET = ("spec", "runtimePatches", "trainingRuntimeSpec", "template")
_PODS = (*_JOB_SET, "spec", "replicatedJobs", "template", "spec", "template")
_CHANGEABLE = (
    *((*_JOB_SET, "metadata"), *((*_PODS, *path) for path in MUTABLE)),
    *(("spec", "podTemplateOverrides", *path) for path in (("metadata",), *(path for path in MUTABLE))),
)
_RUNS = "Trainer doesn't change a JobSet that runs"
_STUCK = "a JobSet that exists takes no other fields than labels, annotations, nodeSelector and tolerations of its pods"
# https://github.com/kubeflow/trainer/blob/v2.3.0/pkg/runtime/core/snapshot.go
_COPY = "a TrainJob keeps the copy of its runtime from its start"


def effect_on_train_job(change: Change) -> Effect:
    """Return the effect of a change of a TrainJob."""
    release = change.releases.get(TRAITS.version_name, VERSIONS[0])
    refused = tuple(_patches(change, release))
    if refused:
        return Effect(refused=refused)
    changed = [path for field in _OF_JOB_SET for path in _leaves(change, field)]
    if is_suspended(change.old) and not all(map(_is_changeable, changed)):
        return Effect(is_pending=True, training="needs re-creation", reason=_STUCK)
    return suspension(change) or Effect(is_pending=bool(changed), reason=_RUNS if changed else "")


def _patches(change: Change, release: str) -> Iterator[Refusal]:
    """Yield refusals of patches: none may have pods, nor, before Trainer 2.3, may the change resume the TrainJob."""
    was, stays = is_suspended(change.old), is_suspended(change.new)
    for field in _PATCHES:
        reason = f"spec.{field} can only change while the TrainJob is suspended"
        if was and not stays and release in ("2.1", "2.2"):
            reason += ": pause it, change it, and resume it then"
        elif was:
            continue
        yield from refusals(change.below("spec", field), reason)


def _leaves(change: Change, field: str) -> Iterator[tuple[str, ...]]:
    """Yield the paths of the changed values at a field, without the items of lists."""
    for each in change.below("spec", field):
        for value in (each.old, each.new):
            yield from _paths(value, tuple(step for step in each.path if not step.startswith(ITEM)))


def _paths(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _paths(each, (*path, name))
    elif isinstance(value, list) and any(isinstance(each, dict) for each in value):
        for each in value:
            yield from _paths(each, path)
    elif value is not None:
        yield path


def _is_changeable(path: tuple[str, ...]) -> bool:
    is_key = path[-1] in ("manager", "name") and len(path) < len(_PODS)
    return is_key or any(path[: len(each)] == each for each in _CHANGEABLE)


def effect_on_runtime(change: Change) -> Effect:
    """Return the effect of a change of a TrainingRuntime, whose JobSet has the rules of JobSet's CRD."""
    has_copy = change.releases.get(TRAITS.version_name, VERSIONS[0]) in WITH_COPIES
    return Effect(is_pending=True, reason=_COPY if has_copy else _RUNS) if change.below("spec") else Effect()


EFFECTS = {
    "TrainJob": effect_on_train_job,
    "TrainingRuntime": effect_on_runtime,
    "ClusterTrainingRuntime": effect_on_runtime,
}
