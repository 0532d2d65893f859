"""What the API server lets change in a Pod, and what its kubelet does then.

ValidatePodUpdate in https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/apis/core/validation/validation.go
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.plan.fields import listed, number
from trainc.systems.shared.changes import Change, Effect, FieldChange, Refusal, refusals

_CONTAINERS = ("containers", "initContainers")
_REASON = "the spec of a Pod is immutable except for images, activeDeadlineSeconds and further tolerations"


def effect_on_pod(change: Change) -> Effect:
    """Return the effect of a change of a Pod."""
    refused = tuple(_refused(change))
    if refused:
        return Effect(refused=refused)
    if any(_is_image(each) for each in change.fields):
        # computePodActions in https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/kubelet/kuberuntime/kuberuntime_manager.go
        return Effect(pods="restarted")
    return Effect()


def _refused(change: Change) -> Iterator[Refusal]:
    for each in change.below("spec"):
        match each.path[1:2]:
            case ("activeDeadlineSeconds",):
                yield from _deadline(each, change)
            case ("tolerations",):
                yield from _tolerations(each, change)
            case _ if not _is_image(each):
                yield from refusals([each], _REASON)


def _is_image(field: FieldChange) -> bool:
    return len(field.path) == 4 and field.path[1] in _CONTAINERS and field.path[3:] == ("image",)


def _deadline(field: FieldChange, change: Change) -> tuple[Refusal, ...]:
    old, new = (number(each, "spec", "activeDeadlineSeconds") for each in (change.old, change.new))
    if old is None or (new is not None and new <= old):
        return ()
    return refusals([field], "spec.activeDeadlineSeconds of a Pod can be added and lowered only")


def _tolerations(field: FieldChange, change: Change) -> tuple[Refusal, ...]:
    new = listed(change.new, "spec", "tolerations")
    if all(each in new for each in listed(change.old, "spec", "tolerations") if not _is_default(each)):
        return ()
    return refusals([field], "spec.tolerations of a Pod can be added only")


def _is_default(toleration: object) -> bool:
    """Return whether the API server adds a toleration to every Pod that lacks it.

    https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#defaulttolerationseconds
    """
    keys = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
    return isinstance(toleration, dict) and toleration.get("key") in keys


EFFECTS = {"Pod": effect_on_pod}
