"""Translate the JobSet of a TrainJob whose runtime has no policy: Kubeflow Trainer adds nothing to its pods."""

from __future__ import annotations

from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence
from trainc.systems.registry import find
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.tree import with_entry, without_entries

_COUNTS = ("parallelism", "completions")


def translate_job_set(
    job: ForeignMapping,
    runtime: ForeignMapping,
    job_set: ForeignMapping,
    replicated: ForeignMapping,
    pods: Mapping,
    count: Scalar,
) -> Mapping | None:
    """Return the TrainingJob; None if errors were reported.

    `job_set` and `replicated` are the runtime's JobSet and its replicated job that trains, `pods` the pod template with
    the changes of the TrainJob, `count` the number of its pods.
    """
    spec = job.section("spec")
    assert spec is not None
    document = _document(job, spec, job_set, replicated, pods, count)
    job_set.ignore(*job_set.node.entries)
    replicated.ignore("template")
    inner = ForeignMapping(document, job.report)
    inner.ignore("apiVersion", "kind")
    result: Mapping | None = find("jobset").part("reader").translate(inner)
    for left in (inner, runtime) if result is not None else ():
        for path, span in left.unconsumed_paths():
            job.report.add_dropped(path, span)
    deadline = spec.node.get("activeDeadlineSeconds")
    return result if result is None or deadline is None else _with_deadline(result, deadline)


def _with_deadline(job: Mapping, deadline: Node) -> Mapping:
    """Return a TrainingJob with the deadline of the TrainJob, which ends it whatever the failure policy is."""
    spec = job.get("spec")
    assert isinstance(spec, Mapping)
    lifecycle = spec.get("lifecycle")
    empty = Mapping({}, deadline.span)
    limited = with_entry(lifecycle if isinstance(lifecycle, Mapping) else empty, "activeDeadlineSeconds", deadline)
    return with_entry(job, "spec", with_entry(spec, "lifecycle", limited))


def _document(
    job: ForeignMapping,
    spec: ForeignMapping,
    job_set: ForeignMapping,
    replicated: ForeignMapping,
    pods: Mapping,
    count: Scalar,
) -> Mapping:
    """Return the JobSet that Kubeflow Trainer creates."""
    for name in ("runtimeRef", "trainer", "suspend", "activeDeadlineSeconds"):
        spec.ignore(name)
    template = replicated.node.get("template")
    inner = template.get("spec") if isinstance(template, Mapping) else None
    assert isinstance(template, Mapping)
    assert isinstance(inner, Mapping)
    inner = with_entry(without_entries(inner, *_COUNTS), "completions", count)
    inner = with_entry(inner, "template", pods)
    entries = {**without_entries(template, "metadata").entries, "spec": Entry(template.entries["spec"].key, inner)}
    trains = with_entry(replicated.node, "template", Mapping(entries, template.span))
    whole = with_entry(job_set.node, "replicatedJobs", Sequence([trains], job_set.where("replicatedJobs")))
    suspend = spec.node.get("suspend")
    if suspend is not None:
        whole = with_entry(whole, "suspend", suspend)
    return with_entry(job.node, "spec", whole)
