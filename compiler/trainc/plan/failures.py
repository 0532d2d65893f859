"""Failure cases of a job, read from its manifests' own policies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.launchers.registry import part
from trainc.plan.duration import duration
from trainc.plan.failure_case import FailureCase
from trainc.plan.fields import Object, number, text
from trainc.plan.models import (
    OperatedResource,
    is_suspended,
    native_model,
    operator,
    runs_workers,
    unknown_workloads,
)
from trainc.plan.pods import ReplicaRange
from trainc.plan.world import Worker
from trainc.well_known import GRACE_PERIOD, QUEUE_LABEL


def failure_cases(
    objects: list[Object], workers: Sequence[Worker], size: ReplicaRange, operated: Sequence[OperatedResource] = ()
) -> list[FailureCase]:
    """Return all cases in the order of a job's life: start, failures, end, clean-up."""
    cases: list[FailureCase] = []
    cases += _start(objects, no_replicas=size.maximum == 0 and not _has_unknown_pods(objects, operated))
    if workers and workers[0].launch.has_launcher:
        cases += part(workers[0].launch.launcher, "process").failure_cases(workers)
    native = {model: each for each in objects if (model := native_model(each))}
    for model, each in native.items():
        cases += model.failure_cases(each, objects, workers)
    for resource in operated:
        model = operator(resource.resource)
        if model is not None and not resource.output.errors:
            cases += model.failure_cases(resource.resource)
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
    for each in filter(is_suspended, objects):
        effect = f"no pod starts: the {text(each, 'kind')} is suspended until spec.suspend is false"
        yield FailureCase("the job is applied", effect)
    if no_replicas:
        yield FailureCase("the job is applied", "no pod starts: the number of replicas is 0")


def _termination(worker: Worker) -> Iterator[FailureCase]:
    deadline = number(worker.pod.spec, "activeDeadlineSeconds")
    if deadline is not None:
        yield FailureCase(f"a pod has run for {duration(deadline)}", "the pod fails")
    grace = number(worker.pod.spec, "terminationGracePeriodSeconds")
    seconds = duration(GRACE_PERIOD if grace is None else grace)
    yield FailureCase("a pod is deleted", f"its processes receive SIGTERM, and SIGKILL after {seconds}")
