"""Translate the policies of a TrainJob and of its runtime, whose JobSet has the meaning of any other."""

from __future__ import annotations

from typing import Any

from trainc.source.node import scalar_text
from trainc.span import Text
from trainc.systems.jobset.reader.lifecycle import translate_lifecycle as translate_job_set
from trainc.systems.jobset.reader.replicated_jobs import Workers
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.tree import child
from trainc.systems.trainjob.facts import GANG_SCHEDULERS, QUEUE_ANNOTATION
from trainc.systems.trainjob.fields import FIELDS


def translate_lifecycle(spec: ForeignMapping, job_set: ForeignMapping, workers: Workers) -> dict[str, Any]:
    """Return the fields of `lifecycle`: those of the JobSet, and the TrainJob's own deadline in place of its Job's."""
    cure = "set" if spec.report.parts else "use a TrainingRuntime of your own with"
    fields = translate_job_set(job_set, workers, elastic=False, cure=cure)
    own = {name: value for name, value in spec.fields(FIELDS, "lifecycle").items() if value is not None}
    return {name: value for name, value in fields.items() if name not in own} | own


def translate_gang(runtime_spec: ForeignMapping, placement: dict[str, Any]) -> dict[str, Any]:
    """Return the gang scheduler of the runtime's podGroupPolicy, and the queue of Volcano."""
    policy = runtime_spec.section("podGroupPolicy")
    if policy is None:
        return {}
    for scheduler in GANG_SCHEDULERS:
        if scheduler in policy:
            policy.section(scheduler)
            queue = child(runtime_spec.node, "template", "metadata", "annotations", QUEUE_ANNOTATION)
            gang = {"volcano": {"queue": queue}} if scheduler == "volcano" and queue is not None else scheduler
            implied = {"schedulerName": None} if scalar_text(placement.get("schedulerName")) == scheduler else {}
            return {Text("gang", policy.where(scheduler)): gang, **implied}
    return {}
