"""Failure cases of a Job: https://kubernetes.io/docs/concepts/workloads/controllers/job/"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.plan.failures import DISRUPTION, RESTARTED, FailureCase, duration, times
from trainc.plan.fields import Object, items, listed, mapping, number, text
from trainc.plan.world import Worker


def failure_cases(job: Object, objects: list[Object], workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """https://kubernetes.io/docs/concepts/workloads/controllers/job/"""
    spec = mapping(job, "spec")
    rules = items(spec, "podFailurePolicy", "rules")
    yield from (_rule(rule) for rule in rules)
    per_index, total = number(spec, "backoffLimitPerIndex"), number(spec, "backoffLimit")
    retry = "its pod is replaced" if text(spec, "template", "spec", "restartPolicy") == "Never" else RESTARTED
    if per_index is not None:
        limit = number(spec, "maxFailedIndexes")
        end = "the Job fails" if limit == 0 else "that worker has failed"
        retried = per_index or limit != 0
        effect = f"{retry}, up to {times(per_index)} per worker; then {end}" if retried else end
        yield FailureCase("a worker fails", effect)
        if limit:
            effect = "the Job fails, and its other pods are terminated"
            yield FailureCase(f"more than {limit} workers have failed", effect)
    else:
        total = 6 if total is None else total
        effect = f"{retry}, up to {times(total)} for all workers together; then the Job fails"
        yield FailureCase("a worker fails", effect if total else "the Job fails")
    if not any(_is_disruption(rule) for rule in rules):
        yield FailureCase(DISRUPTION, "the pod is replaced; the failure counts against the backoff limit")
    yield from _success(spec)
    deadline = number(spec, "activeDeadlineSeconds")
    if deadline is not None:
        yield FailureCase(f"the job has run for {duration(deadline)}", "the Job fails, and its pods are terminated")
    ttl = number(spec, "ttlSecondsAfterFinished")
    if ttl is not None:
        trigger = "the job has finished" if ttl == 0 else f"{duration(ttl)} after the job has finished"
        yield FailureCase(trigger, "the Job, its pods and their logs are deleted")
    else:
        yield FailureCase("the job has finished", "the Job and its finished pods remain until they are deleted")


def _success(spec: Object) -> Iterator[FailureCase]:
    rules = items(spec, "successPolicy", "rules")
    for rule in rules:
        indexes, count = text(rule, "succeededIndexes"), number(rule, "succeededCount")
        workers = f"worker {indexes}" if indexes.isdecimal() else f"workers {indexes}" if indexes else "workers"
        workers = f"{count} of {workers}" if count is not None else workers
        verb = "has" if indexes.isdecimal() and count is None else "have"
        yield FailureCase(f"{workers} {verb} succeeded", "the Job is complete, and its other pods are terminated")
    if not rules:
        yield FailureCase("all workers have succeeded", "the Job is complete")


def _rule(rule: Object) -> FailureCase:
    """https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-failure-policy"""
    effect = {
        "Ignore": "the pod is replaced; the failure does not count against the backoff limit",
        "FailJob": "the Job fails immediately, and its other pods are terminated",
        "FailIndex": "that worker has failed and is not retried",
        "Count": "the failure counts against the backoff limit",
    }.get(text(rule, "action"), "unknown")
    if _is_disruption(rule):
        return FailureCase(DISRUPTION, effect)
    codes = mapping(rule, "onExitCodes")
    if codes:
        values = ", ".join(str(value) for value in listed(codes, "values"))
        negation = "any code but " if text(codes, "operator") == "NotIn" else ""
        return FailureCase(f"a container exits with {negation}{values}", effect)
    conditions = " or ".join(text(each, "type") for each in items(rule, "onPodConditions"))
    return FailureCase(f"a pod fails with condition {conditions}", effect)


def _is_disruption(rule: Object) -> bool:
    return any(text(each, "type") == "DisruptionTarget" for each in items(rule, "onPodConditions"))
