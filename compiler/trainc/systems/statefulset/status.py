"""Status of a StatefulSet, which never completes: worker 0 scales it to zero when the job is done."""

from __future__ import annotations

import json
from collections.abc import Sequence

from trainc.plan.fields import Object, at, items, listed, mapping, number, text
from trainc.plan.launch import parse_script
from trainc.status.pod_state import PodState
from trainc.status.times import timestamp
from trainc.systems.shared.status import ControllerStatus, no_record, object_conditions
from trainc.systems.statefulset.facts import APPLIED, SCALER

worker_record = no_record


def observe(resource: Object, pods: Sequence[PodState]) -> ControllerStatus:
    """Return the status of a StatefulSet."""
    replicas = number(resource, "spec", "replicas")
    status = ControllerStatus(desired=1 if replicas is None else replicas, conditions=object_conditions(resource))
    return status if replicas != 0 else _without_replicas(resource, status)


def _without_replicas(resource: Object, status: ControllerStatus) -> ControllerStatus:
    """Tell the end of the job from a pause: by who set the number, by the applied number, or by the script."""
    scaler = next((each for each in items(resource, "metadata", "managedFields") if _scales(each)), None)
    if scaler is not None:
        ended = "worker 0 has succeeded and scaled the StatefulSet to 0"
        return status.replace(outcome="succeeded", message=ended, time=timestamp(scaler, "time"))
    is_new = number(resource, "metadata", "generation") == 1
    if is_new or _applied_replicas(resource) == 0 or not _ends_itself(resource):
        return status.replace(outcome="paused", message="the StatefulSet has 0 replicas")
    message = "the StatefulSet has 0 replicas: worker 0 has succeeded and set them, or somebody else"
    return status.replace(message=message)


def _scales(entry: Object) -> bool:
    """Return whether an entry of the managed fields says that a worker's script set the number of replicas."""
    is_script = text(entry, "manager").startswith(SCALER) and text(entry, "subresource") == "scale"
    return is_script and at(entry, "fieldsV1", "f:spec", "f:replicas") is not None


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
