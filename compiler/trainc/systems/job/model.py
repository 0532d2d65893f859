"""Pods that the Job controller creates, and the failure cases of a Job.

https://kubernetes.io/docs/concepts/workloads/controllers/job/
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.plan.expand import placeholder
from trainc.plan.failures import DISRUPTION, RESTARTED, FailureCase, times
from trainc.plan.fields import Object, count, items, listed, mapping, number, text
from trainc.plan.pods import Pod, new_pod
from trainc.plan.sample import Sample
from trainc.plan.world import Worker
from trainc.systems.job import lifecycle
from trainc.systems.job.traits import FAILURES_ANNOTATION, INDEX_LABEL, INDEX_VARIABLE
from trainc.systems.shared.lifecycle import end_cases

BY = "the Job controller"


def create_pods(manifest: Object, objects: list[Object], sample: Sample) -> Iterator[Pod]:
    """Yield the pods in the order of their indexes."""
    spec = mapping(manifest, "spec")
    completions, parallelism = number(spec, "completions"), count(spec, "parallelism")
    for index, multiplicity in sample.indexes(0, parallelism if completions is None else completions):
        yield job_pod(manifest, index).replace(on_scale_up=index >= parallelism, multiplicity=multiplicity)


def job_pod(manifest: Object, index: int) -> Pod:
    """Return the pod of one index. Names, labels and the variable: addCompletionIndexEnvVariables,
    appendJobCompletionFinalizerIfNotFound and manageJob in
    https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/controller/job/indexed_job_utils.go
    """
    spec, job = mapping(manifest, "spec"), text(manifest, "metadata", "name")
    template = mapping(spec, "template")
    labels = dict(mapping(template, "metadata", "labels"))
    annotations = dict(mapping(template, "metadata", "annotations"))
    for prefix in ("", "batch.kubernetes.io/"):
        labels[prefix + "job-name"] = job
        labels[prefix + "controller-uid"] = placeholder(f"uid of Job/{job}")
    inner = mapping(template, "spec")
    name = f"{job}-{placeholder('random')}"
    if text(spec, "completionMode") == "Indexed":
        labels[INDEX_LABEL] = annotations[INDEX_LABEL] = str(index)
        if number(spec, "backoffLimitPerIndex") is not None:
            annotations[FAILURES_ANNOTATION] = "0"
        name = f"{job}-{index}-{placeholder('random')}"
        inner = {**inner, "hostname": text(inner, "hostname") or f"{job}-{index}"}
        for kind in ("initContainers", "containers"):
            if kind in inner:
                inner[kind] = [_with_index(container) for container in items(inner, kind)]
    return new_pod(manifest, inner, f"Job/{job}", name, index, labels).replace(annotations=annotations)


def _with_index(container: Object) -> Object:
    env = items(container, "env")
    if any(text(each, "name") == INDEX_VARIABLE for each in env):
        return container
    source = {"fieldRef": {"fieldPath": f"metadata.labels['{INDEX_LABEL}']"}}
    return {**container, "env": [*env, {"name": INDEX_VARIABLE, "valueFrom": source, "createdBy": BY}]}


def failure_cases(job: Object, objects: list[Object], workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """https://kubernetes.io/docs/concepts/workloads/controllers/job/"""
    spec = mapping(job, "spec")
    rules = items(spec, "podFailurePolicy", "rules")
    yield from (rule_case(rule, "the Job fails immediately, and its other pods are terminated") for rule in rules)
    per_worker, limit = lifecycle.retries(job).per_worker, number(spec, "maxFailedIndexes")
    end = "that worker has failed" if per_worker and limit != 0 else "the Job fails"
    yield FailureCase("a worker fails", retry_effect(job, end))
    if per_worker and limit:
        effect = "the Job fails, and its other pods are terminated"
        yield FailureCase(f"more than {limit} workers have failed", effect)
    if not any(map(is_disruption, rules)):
        yield FailureCase(DISRUPTION, "the pod is replaced; the failure counts against the backoff limit")
    yield from _success(spec)
    if len(workers) > 1:
        yield FailureCase("the Job has failed", "running pods are terminated")
    yield from end_cases("Job", spec, "the Job fails, and its pods are terminated")


def retry_effect(job: Object, end: str) -> str:
    """Describe what follows when a worker fails: retries up to the limit, and then `end`."""
    retries = lifecycle.retries(job)
    how = RESTARTED if lifecycle.restarts_in_place(job) else "its pod is replaced"
    whose = "per worker" if retries.per_worker else "for all workers together"
    return f"{how}, up to {times(retries.limit)} {whose}; then {end}" if retries.left() else end


def _success(spec: Object) -> Iterator[FailureCase]:
    for trigger in success_triggers(spec):
        yield FailureCase(trigger, "the Job is complete, and its other pods are terminated")
    if not items(spec, "successPolicy", "rules"):
        yield FailureCase("all workers have succeeded", "the Job is complete")


def success_triggers(spec: Object) -> Iterator[str]:
    """Yield what each rule of a Job's success policy requires."""
    for rule in items(spec, "successPolicy", "rules"):
        indexes, count = text(rule, "succeededIndexes"), number(rule, "succeededCount")
        workers = f"worker {indexes}" if indexes.isdecimal() else f"workers {indexes}" if indexes else "workers"
        workers = f"{count} of {workers}" if count is not None else workers
        verb = "has" if indexes.isdecimal() and count is None else "have"
        yield f"{workers} {verb} succeeded"


def rule_case(rule: Object, fails: str) -> FailureCase:
    """Return the case of a rule of a podFailurePolicy; `fails` is what follows FailJob."""
    effect = {
        "Ignore": "the pod is replaced; the failure does not count against the backoff limit",
        "FailJob": fails,
        "FailIndex": "that worker has failed and is not retried",
        "Count": "the failure counts against the backoff limit",
    }.get(text(rule, "action"), "unknown")
    return FailureCase(_trigger(rule), effect)


def _trigger(rule: Object) -> str:
    if is_disruption(rule):
        return DISRUPTION
    codes = mapping(rule, "onExitCodes")
    if codes:
        values = ", ".join(str(value) for value in listed(codes, "values"))
        negation = "any code but " if text(codes, "operator") == "NotIn" else ""
        return f"a container exits with {negation}{values}"
    conditions = " or ".join(text(each, "type") for each in items(rule, "onPodConditions"))
    return f"a pod fails with condition {conditions}"


def is_disruption(rule: Object) -> bool:
    """Return whether a rule matches pods that were drained, preempted or evicted."""
    return any(text(each, "type") == "DisruptionTarget" for each in items(rule, "onPodConditions"))
