"""What may change in a DeepSpeedJob, as far as T9k's documents say: its operator isn't public.

The field `elastic` in
https://github.com/t9k/user-manuals/blob/fbf6b3c/src/references/api-reference/deepspeedjob.md, "暂停模式" in
https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/deepspeedjob.md
"""

from __future__ import annotations

from trainc.plan.fields import number
from trainc.systems.shared.changes import Change, Effect, FieldChange, Pods, immutable, scaling, suspension

_MODE = ("spec", "runMode")
_PAUSE = (*_MODE, "pause")
_SIZE = ("spec", "elastic", "expectedReplicas")
_IMMUTABLE = ("spec.elastic.minReplicas", "spec.elastic.maxReplicas", "spec.runMode.pause.resumeSpecs")
_UNKNOWN = (
    "T9k documents what its operator does with runMode.pause.enabled and elastic.expectedReplicas, and nothing about"
    " other fields: to be sure, delete the job and create it again"
)


def effect_on_deepspeed_job(change: Change) -> Effect:
    """Return the effect of a change of a DeepSpeedJob."""
    changed = [path for path in _IMMUTABLE if len({repr(value) for value in change.values(*path.split("."))}) > 1]
    refused = tuple(immutable(change, *changed))
    if refused:
        return Effect(refused=refused)
    if not all(map(_is_documented, change.below("spec"))):
        return Effect(pods="unknown", reason=_UNKNOWN)
    suspended = suspension(change)
    if suspended:
        return suspended
    old, new = (number(each, *_SIZE) for each in (change.old, change.new))
    pods: Pods = "unknown" if old is None or new is None else scaling(old, new)
    return Effect(pods=pods, training="restarts" if pods in ("added", "removed") else "")


def _is_documented(field: FieldChange) -> bool:
    if field.path == _MODE:
        return all(set(mode or {}) <= {"pause"} for mode in (field.old, field.new))
    return field.path == _SIZE or field.path[: len(_PAUSE)] == _PAUSE


EFFECTS = {"DeepSpeedJob": effect_on_deepspeed_job}
