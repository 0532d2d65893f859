"""Translate the JobSet of a TrainJob whose runtime has no policy: Kubeflow Trainer adds nothing to its pods."""

from __future__ import annotations

from trainc.source.node import Entry, Mapping, Scalar, Sequence, build_tree
from trainc.systems.registry import find
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.tree import with_entry, without_entries
from trainc.systems.trainjob.fields import DEADLINE, OWN, SUSPEND
from trainc.systems.trainjob.reader.lifecycle import translate_gang
from trainc.systems.trainjob.reader.runtime import Runtime

_COUNTS = ("parallelism", "completions")


def translate_job_set(job: ForeignMapping, runtime: Runtime, pods: Mapping, count: Scalar) -> Mapping | None:
    """Return the TrainingJob; None if errors were reported.

    `pods` is the pod template with the changes of the TrainJob, `count` the number of its pods.
    """
    spec = job.section("spec")
    assert spec is not None
    document = _document(job, spec, runtime, pods, count)
    runtime.job_set.ignore(*runtime.job_set.node.entries)
    runtime.replicated.ignore("template")
    inner = ForeignMapping(document, job.report)
    inner.ignore("apiVersion", "kind")
    result: Mapping | None = find("jobset").part("reader").translate(inner)
    if result is None:
        return None
    result = with_gang(result, runtime.spec)
    for left in (inner, runtime.document):
        for path, span in left.unconsumed_paths():
            job.report.add_dropped(path, span)
    return with_deadline(result, spec)


def with_gang(job: Mapping, runtime_spec: ForeignMapping) -> Mapping:
    """Return a TrainingJob with the gang of the runtime's podGroupPolicy."""
    spec = job.get("spec")
    assert isinstance(spec, Mapping)
    scheduling = spec.get("scheduling")
    place = scheduling if isinstance(scheduling, Mapping) else Mapping({}, spec.span)
    fields = translate_gang(runtime_spec, dict(place.items()))
    for name, value in fields.items():
        place = without_entries(place, name) if value is None else with_entry(place, name, build_tree(value, spec.span))
    return with_entry(job, "spec", with_entry(spec, "scheduling", place)) if fields else job


def with_deadline(job: Mapping, train_job: ForeignMapping) -> Mapping:
    """Return a TrainingJob with the deadline of the TrainJob, which ends it whatever the failure policy is."""
    spec, deadline = job.get("spec"), train_job.node.get(DEADLINE)
    assert isinstance(spec, Mapping)
    if deadline is None:
        return job
    lifecycle = spec.get("lifecycle")
    empty = Mapping({}, deadline.span)
    limited = with_entry(lifecycle if isinstance(lifecycle, Mapping) else empty, "activeDeadlineSeconds", deadline)
    return with_entry(job, "spec", with_entry(spec, "lifecycle", limited))


def _document(job: ForeignMapping, spec: ForeignMapping, runtime: Runtime, pods: Mapping, count: Scalar) -> Mapping:
    """Return the JobSet that Kubeflow Trainer creates."""
    spec.ignore(*OWN)
    replicated, job_set = runtime.replicated.node, runtime.job_set
    template = replicated.get("template")
    inner = template.get("spec") if isinstance(template, Mapping) else None
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
