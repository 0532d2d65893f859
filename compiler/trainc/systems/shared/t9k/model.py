"""What T9k's operator does for every kind of job, as far as T9k's documents describe it:

https://github.com/t9k/user-manuals/tree/fbf6b3c/src: modules/jobs (manuals), tasks/use-podgroup.md (groups),
references/api-reference (reference). The source is not public: what no document states is marked as assumed.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.diagnostics.finding import Finding, rejection
from trainc.plan.failures import DISRUPTION, FailureCase, duration, times
from trainc.plan.fields import Object, at, items, listed, mapping, number, text
from trainc.plan.models import is_suspended
from trainc.systems.shared.model import owned_object
from trainc.systems.shared.t9k.fields import DEFAULT_QUEUE, RETRYABLE, SCHEDULER

CLEAN_UP = {"All": "all pods are deleted, with their logs", "Unfinished": "running pods are deleted"}


def has_mode(resource: Object, mode: str) -> bool:
    """Return whether a job is in a run mode, `debug` or `pause`."""
    return at(resource, "spec", "runMode", mode, "enabled") is True


def mode_changes(resource: Object, mode: str, field: str, pod_type: str) -> list[Object]:
    """Return the changes of the pods of a type in a mode: manuals, "调试模式" and "暂停模式"."""
    specs = items(resource, "spec", "runMode", mode, field)
    return [spec for spec in specs if text(spec, "type") in ("", pod_type)]


def changed_command(changes: list[Object]) -> list[str]:
    """Return the command that replaces the default one; empty for the default."""
    commands = ([*listed(each, "command"), *listed(each, "args")] for each in changes)
    return list(map(str, next(filter(None, commands), [])))


def training_container(template: Object, name: str) -> str:
    """Return the name of the training container: the one of this name, else the first."""
    names = [text(each, "name") for each in items(template, "spec", "containers")]
    return name if name in names else names[0]


def apply_common_fields(pod: Object, resource: Object, changes: list[Object]) -> None:
    """Set the restart policy, the scheduler and its group, and remove init containers that a mode skips."""
    inner, name = pod["spec"], text(resource, "metadata", "name")
    if any(at(each, "skipInitContainer") is True for each in changes):
        inner.pop("initContainers", None)
    inner["restartPolicy"] = "Never"  # reference, template
    if _is_group(resource):
        inner["schedulerName"] = SCHEDULER
        queue = text(resource, "spec", "scheduler", "t9kScheduler", "queue") or DEFAULT_QUEUE
        group = {"scheduler.tensorstack.dev/group-name": name, "scheduler.tensorstack.dev/queue": queue}
        pod["metadata"]["labels"] |= group


def replica_error(spec: Object, *path: str | int) -> Iterator[Finding]:
    """Yield an error of a number of replicas; `path` is that of `spec`."""
    if at(spec, "replicas") is not None and number(spec, "replicas") is None:
        yield rejection(f"replicas is `{at(spec, 'replicas')}`, which is not a whole number", *path, "replicas")


def pod_group(resource: Object, operator: str, count: int) -> list[Object]:
    """Return the PodGroup with the job's name, queue and priority: groups, "T9k Job 自动创建 PodGroup"."""
    if not _is_group(resource):
        return []
    scheduler = mapping(resource, "spec", "scheduler", "t9kScheduler")
    name = text(resource, "metadata", "name")
    head = owned_object(resource, operator, "PodGroup", name, {}, "scheduler.tensorstack.dev/v1beta1")
    options = {field: scheduler[field] for field in ("queue", "priority") if field in scheduler}
    elastic = mapping(resource, "spec", "elastic")
    least = number(elastic, "minReplicas") if elastic.get("enabled") is True else None
    return [{**head, "spec": {"minMember": least or count, **options}}]


def _is_group(resource: Object) -> bool:
    return at(resource, "spec", "scheduler", "t9kScheduler") is not None


def failure_cases(
    resource: Object, workers: Object, pod_type: str, count: int, default_limit: int | None
) -> Iterator[FailureCase]:
    """Yield all cases in the order of a job's life. `workers` has the restart policy, `count` is the number of pods.

    Manuals, "训练的成功和失败判定", "成功和失败", "清除策略"; reference, RunPolicy.
    """
    policy, kind = mapping(resource, "spec", "runPolicy"), text(resource, "kind")
    fails = f"the {kind} fails"
    if is_suspended(resource):
        effect = f"no pod starts: the {kind} is paused until spec.runMode.pause.enabled is false"
        yield FailureCase("the job is applied", effect)
    yield from _resumed(mode_changes(resource, "pause", "resumeSpecs", pod_type))
    if _is_group(resource):
        effect = "no pod starts: the T9k Scheduler gang-schedules them"
        yield FailureCase("not all pods can be scheduled", effect)
    limit = number(policy, "backoffLimit")
    yield from _failure(text(workers, "restartPolicy") or "OnFailure", default_limit if limit is None else limit, fails)
    left = CLEAN_UP.get(text(policy, "cleanUpPolicy"), "running pods continue")
    if count > 1 or left == CLEAN_UP["All"]:
        yield FailureCase("worker 0 has succeeded", f"the {kind} has succeeded; {left}")
        yield FailureCase(f"the {kind} has failed", left)
    else:
        yield FailureCase("all workers have succeeded", f"the {kind} has succeeded")
    deadline = number(policy, "activeDeadlineSeconds")
    if deadline is not None:
        yield FailureCase(f"the job has run for {duration(deadline)}", fails)
    remain = (
        f"the {kind} remains until it is"
        if left == CLEAN_UP["All"]
        else f"the {kind} and its finished pods remain until they are"
    )
    yield FailureCase("the job has finished", f"{remain} deleted")


def _resumed(changes: list[Object]) -> Iterator[FailureCase]:
    command = changed_command(changes)
    effects = [f"runs `{' '.join(command)}`"] if command else []
    if any(at(each, "skipInitContainer") is True for each in changes):
        effects.insert(0, "has no init containers")
    if effects:
        yield FailureCase("the job is resumed", f"each pod {' and '.join(effects)}")


def _failure(restart_policy: str, limit: int | None, fails: str) -> Iterator[FailureCase]:
    if restart_policy == "Never":
        yield FailureCase("a worker fails", fails)
        yield FailureCase(DISRUPTION, fails)
        return
    count = f"{times(limit)} for all workers together" if limit is not None else "the operator's default"
    if restart_policy == "ExitCode":
        yield FailureCase(f"a worker exits with any code but {', '.join(map(str, RETRYABLE))}", fails)
    yield FailureCase("a worker fails", f"its pod is replaced, up to {count}; then {fails}")
    yield FailureCase(DISRUPTION, "the pod is replaced; assumed: the failure counts against the backoff limit")
