"""Translate the JobSet of a TrainJob's runtime, and its policies.

Kubeflow Trainer adds nothing to the pods of a runtime without a policy: its JobSet is translated like any other.
"""

from __future__ import annotations

from typing import Any

from trainc.source.node import Entry, Mapping, Scalar, Sequence, scalar_text
from trainc.span import Text
from trainc.systems.jobset.reader.lifecycle import translate_lifecycle as translate_job_set_lifecycle
from trainc.systems.jobset.reader.replicated_jobs import Workers
from trainc.systems.registry import find
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.tree import child, with_entry, with_path, without_entries, without_path
from trainc.systems.trainjob.facts import GANG_SCHEDULERS, QUEUE_ANNOTATION
from trainc.systems.trainjob.fields import DEADLINE, FIELDS, OWN, SUSPEND
from trainc.systems.trainjob.reader.runtime import Runtime

_COUNTS = ("parallelism", "completions")


def translate_job_set(job: ForeignMapping, runtime: Runtime, pods: Mapping, count: Scalar) -> Mapping | None:
    """Return the TrainingJob; None if errors were reported.

    `pods` is the pod template with the changes of the TrainJob, `count` the number of its pods.
    """
    spec = job.section("spec")
    assert spec is not None
    document = _document(job, spec, runtime, pods, count)
    runtime.job_set.ignore_all()
    runtime.replicated.ignore("template")
    training_job = translate_as("jobset", document, job, runtime.spec)
    if training_job is not None:
        runtime.document.drop_unconsumed()
    return training_job


def translate_as(system: str, document: Mapping, job: ForeignMapping, runtime_spec: ForeignMapping) -> Mapping | None:
    """Return the TrainingJob of another system's resource that does the same, with the TrainJob's gang and deadline.

    Return None if errors were reported.
    """
    inner = ForeignMapping(document, job.report)
    inner.ignore("apiVersion", "kind")
    training_job: Mapping | None = find(system).part("reader").translate(inner)
    if training_job is None:
        return None
    training_job = _with_gang(training_job, runtime_spec)
    inner.drop_unconsumed()
    deadline = child(job.node, "spec", DEADLINE)  # which ends it whatever the failure policy is
    if deadline is None:
        return training_job
    return with_path(training_job, "spec", "lifecycle", "activeDeadlineSeconds", value=deadline)


def _with_gang(job: Mapping, runtime_spec: ForeignMapping) -> Mapping:
    """Return a TrainingJob with the gang of the runtime's podGroupPolicy."""
    scheduling = child(job, "spec", "scheduling")
    fields = translate_gang(runtime_spec, dict(scheduling.items()) if isinstance(scheduling, Mapping) else {})
    for name, value in fields.items():
        path = ("spec", "scheduling", name)
        job = without_path(job, *path) if value is None else with_path(job, *path, value=value)
    return job


def _document(job: ForeignMapping, spec: ForeignMapping, runtime: Runtime, pods: Mapping, count: Scalar) -> Mapping:
    """Return the JobSet that Kubeflow Trainer creates."""
    spec.ignore(*OWN)
    replicated, job_set = runtime.replicated.node, runtime.job_set
    template = replicated.get("template")
    inner = child(template, "spec")
    assert isinstance(template, Mapping)
    assert isinstance(inner, Mapping)
    for name in _COUNTS:
        inner = with_entry(without_entries(inner, name), name, count)
    inner = with_entry(inner, "template", pods)
    entries = {**without_entries(template, "metadata").entries, "spec": Entry(template.entries["spec"].key, inner)}
    trains = with_entry(replicated, "template", Mapping(entries, template.span))
    whole = with_entry(job_set.node, "replicatedJobs", Sequence([trains], job_set.where("replicatedJobs")))
    suspend = spec.node.get(SUSPEND)
    if suspend is not None:
        whole = with_entry(whole, "suspend", suspend)
    return with_entry(job.node, "spec", whole)


def translate_lifecycle(spec: ForeignMapping, job_set: ForeignMapping, workers: Workers) -> dict[str, Any]:
    """Return the fields of `lifecycle`: those of the JobSet, and the TrainJob's own deadline in place of its Job's."""
    cure = "set" if spec.report.parts else "use a TrainingRuntime of your own with"
    fields = translate_job_set_lifecycle(job_set, workers, elastic=False, cure=cure)
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
