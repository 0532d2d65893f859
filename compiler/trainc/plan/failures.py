"""Failure cases: events in the life of a job, and what follows from the policies in its manifests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from trainc.launchers.registry import part
from trainc.plan.fields import Object, items, mapping, number, text
from trainc.plan.models import (
    OperatedResource,
    is_suspended,
    native_model,
    operator,
    pause_path,
    runs_workers,
)
from trainc.plan.world import Worker
from trainc.well_known import GRACE_PERIOD, MINIMUM_ANNOTATION, QUEUE_LABEL

DISRUPTION = "node drain, preemption or eviction"
RESTARTED = "its container is restarted"
LOST_POD = "node failure or pod deletion"
_UNITS = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))


class FailureCase(NamedTuple):
    """Event and its effect, both as clauses in the present tense."""

    trigger: str
    effect: str


def times(number: int) -> str:
    """Format a count: `once`, `twice`, `3 times`."""
    return "once" if number == 1 else "twice" if number == 2 else f"{number} times"


def duration(seconds: int) -> str:
    """Format seconds in at most two units: `1 d`, `2 h 30 min`, `90 s`."""
    if 0 <= seconds < 120:
        return f"{seconds} s"
    parts = []
    for unit, length in _UNITS:
        count, seconds = divmod(seconds, length)
        if count:
            parts.append(f"{count} {unit}")
    return " ".join(parts[:2])


def _autoscaler_metrics(policy: Any) -> str:
    """Format the metrics of a mapping with `metrics` of autoscaling/v2; without any, Kubernetes' default."""
    formatted = []
    for metric in items(policy, "metrics"):
        source: Any = next((value for key, value in metric.items() if key != "type"), {})
        name = text(source, "name") or text(source, "metric", "name")
        target = mapping(source, "target")
        value = next((value for key, value in target.items() if key != "type"), "")
        formatted.append(f"{name} at {value}{' %' if text(target, 'type') == 'Utilization' else ''}")
    return ", ".join(formatted) or "cpu at 80 %"


def load_case(policy: Any, counted: str, can_scale: bool) -> FailureCase:
    """Return the case of an autoscaler, which scales only if it can measure any of its metrics."""
    metrics = _autoscaler_metrics(policy)
    effect = f"the autoscaler changes the number of {counted}: {metrics}"
    return FailureCase(
        "the load changes", effect if can_scale else f"nothing: the autoscaler can't measure its metrics, {metrics}"
    )


def failure_cases(
    objects: list[Object], workers: Sequence[Worker], operated: Sequence[OperatedResource], no_replicas: bool
) -> Iterator[FailureCase]:
    """Yield all cases in the order of a job's life: start, failures, end, clean-up.

    The model of an operator's resource describes what follows for the objects that the operator creates, too.
    """
    manifests = [each for each in objects if not text(each, "createdBy")]
    yield from _start(manifests, workers)
    if no_replicas:
        yield FailureCase("the job is applied", "no pod starts: the number of replicas is 0")
    if workers and workers[0].launch.has_launcher:
        yield from part(workers[0].launch.launcher, "process").failure_cases(workers)
    native = {model: each for each in manifests if (model := native_model(each))}
    for model, each in native.items():
        yield from model.failure_cases(each, objects, workers)
    for resource in operated:
        model = operator(resource.resource)
        if model is not None and not resource.output.errors and not text(resource.resource, "createdBy"):
            yield from model.failure_cases(resource.resource, objects, workers)
    for worker in workers[:1]:
        deadline = number(worker.pod.spec, "activeDeadlineSeconds")
        if deadline is not None:
            yield FailureCase(f"a pod has run for {duration(deadline)}", "the pod fails")
        grace = number(worker.pod.spec, "terminationGracePeriodSeconds")
        seconds = duration(GRACE_PERIOD if grace is None else grace)
        effect = f"its processes receive SIGTERM, and SIGKILL after {seconds}"
        if not worker.launch.handles_sigterm:
            effect = f"{worker.launch.label} ignores SIGTERM: its processes are killed after {seconds}"
        yield FailureCase("a pod is deleted", effect)


def is_queued(manifest: Object) -> bool:
    """Return whether Kueue admits the workers of an object. It keeps their number then, or stops the job."""
    return bool(text(manifest, "metadata", "labels", QUEUE_LABEL)) and runs_workers(manifest)


def _admission(manifest: Object) -> str:
    """https://kueue.sigs.k8s.io/docs/tasks/run/jobs/#partial-admission"""
    queue = text(manifest, "metadata", "labels", QUEUE_LABEL)
    least = text(manifest, "metadata", "annotations", MINIMUM_ANNOTATION)
    if not least:
        return f"Kueue admits it when queue {queue} has quota for all pods"
    return f"Kueue admits it with as many pods as queue {queue} has quota for, at least {least}"


def _start(manifests: list[Object], workers: Sequence[Worker]) -> Iterator[FailureCase]:
    for each in manifests:
        if text(each, "kind") == "PodGroup":
            least = number(each, "spec", "minMember")
            yield FailureCase(f"fewer than {least} pods can be scheduled", "no pod starts: they are gang-scheduled")
        if is_queued(each):
            is_elastic = bool(workers) and workers[0].launch.is_elastic
            fixed_size = "; the number of workers then stays as it is" if is_elastic else ""
            yield FailureCase("the job is applied", _admission(each) + fixed_size)
            break
    for each in filter(native_model, manifests):
        yield from suspended_case(each)


def suspended_case(resource: Object) -> Iterator[FailureCase]:
    """Yield what follows when a paused job is applied."""
    if is_suspended(resource):
        path = ".".join(pause_path(resource))
        effect = f"no pod starts: the {text(resource, 'kind')} is suspended until {path} is false"
        yield FailureCase("the job is applied", effect)
