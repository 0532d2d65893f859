"""Status of a StatefulSet, which never completes: worker 0 scales it to zero when the job is done."""

from __future__ import annotations

import json
from collections.abc import Sequence

from trainc.plan.fields import Object, at, count, items, listed, mapping, number, text
from trainc.plan.launch import parse_script
from trainc.status.pod_state import PodState
from trainc.systems.shared.status import ControllerStatus, object_conditions
from trainc.well_known import APPLIED


def observe(resource: Object, pods: Sequence[PodState]) -> ControllerStatus:
    """Return the status of a StatefulSet."""
    status = ControllerStatus(desired=count(resource, "spec", "replicas"), conditions=object_conditions(resource))
    return status if status.desired else _without_replicas(resource, status)


def _without_replicas(resource: Object, status: ControllerStatus) -> ControllerStatus:
    """Tell a pause, in which 0 replicas are applied, from the end, at which worker 0 scales the StatefulSet.

    Nobody owns a number that the scale subresource has set to 0: Scale omits a zero, so that its managed fields lack
    it. kubectl scale looks the same.
    """
    is_new = number(resource, "metadata", "generation") == 1
    entries = items(resource, "metadata", "managedFields")
    is_applied = any(at(each, "fieldsV1", "f:spec", "f:replicas") is not None for each in entries)
    if is_new or is_applied or _applied_replicas(resource) == 0 or not _ends_itself(resource):
        return status.replace(outcome="paused", message="the StatefulSet has 0 replicas")
    message = "it was scaled to 0, by worker 0 when it succeeded, or by hand"
    return status.replace(message=message)


def _applied_replicas(resource: Object) -> int | None:
    try:
        return number(json.loads(text(resource, "metadata", "annotations", APPLIED)), "spec", "replicas")
    except (ValueError, RecursionError):
        return None


def _ends_itself(resource: Object) -> bool:
    """Return whether a container's command is the script that scales to zero."""
    containers = items(mapping(resource, "spec", "template", "spec"), "containers")
    commands = ([str(word) for field in ("command", "args") for word in listed(each, field)] for each in containers)
    return any(script.scales_to_zero for words in commands if (script := parse_script(words)))
