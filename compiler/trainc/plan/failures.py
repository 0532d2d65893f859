"""Failure cases of a job, read from its manifests' own policies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.launchers.registry import part
from trainc.plan.duration import duration
from trainc.plan.failure_case import DISRUPTION, FailureCase, autoscaler_metrics, times
from trainc.plan.fields import Object, at, items, listed, mapping, number, text
from trainc.plan.operators import OperatedResource, operator, runs_workers, unknown_workloads
from trainc.plan.pods import ReplicaRange, autoscaler
from trainc.plan.world import Worker
from trainc.well_known import GRACE_PERIOD, QUEUE_LABEL

_RESTARTED = "its container is restarted"


def failure_cases(
    objects: list[Object], workers: Sequence[Worker], size: ReplicaRange, operated: Sequence[OperatedResource] = ()
) -> list[FailureCase]:
    """Return all cases in the order of a job's life: start, failures, end, clean-up."""
    cases: list[FailureCase] = []
    kinds = {text(each, "kind"): each for each in objects}
    cases += _start(objects, no_replicas=size.maximum == 0 and not _has_unknown_pods(objects, operated))
    if workers and workers[0].launch.has_launcher:
        cases += part(workers[0].launch.launcher, "process").failure_cases(workers)
    if "Job" in kinds:
        cases += _job(kinds["Job"])
    if "StatefulSet" in kinds:
        cases += _stateful_set(kinds["StatefulSet"], objects, workers)
    for each in operated:
        module = operator(each.resource)
        if module is not None and not each.output.errors:
            cases += module.failure_cases(each.resource)
    if workers and not workers[0].pod.owner:
        cases += _bare_pods(workers)
    if workers:
        cases += _termination(workers[0])
    return cases


def _has_unknown_pods(objects: list[Object], operated: Sequence[OperatedResource]) -> bool:
    return any(each.output.errors for each in operated) or any(unknown_workloads(objects))


def _start(objects: list[Object], no_replicas: bool) -> Iterator[FailureCase]:
    for each in objects:
        if text(each, "kind") == "PodGroup" and not text(each, "createdBy"):
            least = number(each, "spec", "minMember")
            yield FailureCase(f"fewer than {least} pods can be scheduled", "no pod starts: they are gang-scheduled")
        queue = text(each, "metadata", "labels", QUEUE_LABEL)
        if queue and runs_workers(each):
            yield FailureCase("the job is applied", f"Kueue admits it when queue {queue} has quota for all pods")
            break
    for each in objects:
        if text(each, "kind") == "Job" and at(each, "spec", "suspend") is True:
            effect = "no pod starts: the Job is suspended until spec.suspend is false"
            yield FailureCase("the job is applied", effect)
    if no_replicas:
        yield FailureCase("the job is applied", "no pod starts: the number of replicas is 0")


def _job(job: Object) -> Iterator[FailureCase]:
    """https://kubernetes.io/docs/concepts/workloads/controllers/job/"""
    spec = mapping(job, "spec")
    rules = items(spec, "podFailurePolicy", "rules")
    yield from (_rule(rule) for rule in rules)
    per_index, total = number(spec, "backoffLimitPerIndex"), number(spec, "backoffLimit")
    retry = "its pod is replaced" if text(spec, "template", "spec", "restartPolicy") == "Never" else _RESTARTED
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


def _stateful_set(resource: Object, objects: list[Object], workers: Sequence[Worker]) -> Iterator[FailureCase]:
    yield FailureCase("a worker fails", f"{_RESTARTED} without limit, with a backoff of up to 5 min")
    yield FailureCase(DISRUPTION, "the pod is recreated under the same name")
    scaler = autoscaler(resource, objects)
    if scaler:
        metrics = autoscaler_metrics(mapping(scaler, "spec"))
        yield FailureCase("the load changes", f"the autoscaler changes the number of replicas: {metrics}")
    if workers and workers[0].launch.scales_to_zero:
        scaler_too = "the autoscaler is deleted, and " if scaler else ""
        yield FailureCase("worker 0 has succeeded", f"{scaler_too}the StatefulSet is scaled to 0: its pods are deleted")
        yield FailureCase("another worker has succeeded", "its pod runs on until the StatefulSet is scaled down")
    else:
        effect = f"{_RESTARTED} without limit: a StatefulSet never completes"
        yield FailureCase("the program has succeeded", effect)


def _bare_pods(workers: Sequence[Worker]) -> Iterator[FailureCase]:
    policy = text(workers[0].pod.spec, "restartPolicy") or "Always"
    restarted = f"{_RESTARTED}, with a backoff of up to 5 min"
    yield FailureCase("a worker fails", "its Pod fails and is not replaced" if policy == "Never" else restarted)
    yield FailureCase(DISRUPTION, "the Pod is deleted and not replaced")
    completed = "its Pod is completed and remains until it is deleted"
    yield FailureCase("a worker has succeeded", _RESTARTED if policy == "Always" else completed)


def _termination(worker: Worker) -> Iterator[FailureCase]:
    deadline = number(worker.pod.spec, "activeDeadlineSeconds")
    if deadline is not None:
        yield FailureCase(f"a pod has run for {duration(deadline)}", "the pod fails")
    grace = number(worker.pod.spec, "terminationGracePeriodSeconds")
    seconds = duration(GRACE_PERIOD if grace is None else grace)
    yield FailureCase("a pod is deleted", f"its processes receive SIGTERM, and SIGKILL after {seconds}")
