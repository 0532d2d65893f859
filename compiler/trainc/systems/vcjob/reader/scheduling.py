"""Translate gang, queue, priority and claims of a Job of Volcano."""

from __future__ import annotations

from typing import Any

from trainc.source.node import scalar_text
from trainc.span import Text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.vcjob import facts
from trainc.systems.vcjob.fields import GANG, PRIORITY, QUEUE, SCHEDULER
from trainc.systems.vcjob.model.spec import Job


def translate_scheduling(spec: ForeignMapping, placement: dict[str, Any], job: Job, minimum: int) -> dict[str, Any]:
    """Return the fields of `scheduling` beside the pods' own: a Job of Volcano is a gang."""
    scheduler, queue = spec.string(SCHEDULER), spec.string(QUEUE)
    priority, pods = spec.string(PRIORITY), placement.get("priorityClassName")
    where = spec.position(GANG)
    spec.ignore(GANG)
    if job.min_available != minimum:
        why = f"the size of the gang is {minimum}, the number of pods that the job needs to train"
        spec.report.add_dropped(spec.path_of(GANG), where, why)
    gang: Any = {"volcano": {"queue": queue}} if queue not in (None, facts.QUEUE) else "volcano"
    fields: dict[str, Any] = {Text("gang", where): gang}
    own = placement.get("schedulerName")
    if scalar_text(own) == facts.SCHEDULER:
        fields["schedulerName"] = None  # implied by the gang
    elif own is None and scheduler not in (None, facts.SCHEDULER):
        fields[spec.key(SCHEDULER)] = scheduler
    if priority is not None and pods is None:
        fields[spec.key(PRIORITY)] = priority
    elif priority is not None and scalar_text(pods) != priority:
        why = f"the pods have `{scalar_text(pods)}`"
        spec.report.add_dropped(spec.path_of(PRIORITY), priority.span, why)
    return fields


def translate_volumes(spec: ForeignMapping, volumes: Any) -> Any:
    """Return the volumes of the pods, and the claims that Volcano mounts into every container."""
    added = []
    for number, volume in enumerate(spec.sections("volumes")):
        path, claim = volume.consume("mountPath"), volume.consume("volumeClaimName")
        if claim is None or path is None:
            why = "trainc names the claims that it makes"
            help_ = "add a volume with persistentVolumeClaim, or with a new claim"
            volume.drop_all(why, help_)
            continue
        source = {"claimName": claim}
        added.append({"name": f"claim-{number}", "mountPath": path, "persistentVolumeClaim": source})
    return [*(volumes or []), *added] if added else volumes
