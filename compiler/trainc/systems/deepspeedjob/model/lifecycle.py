"""Failure cases of a DeepSpeedJob, as far as T9k's documents describe them.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/deepspeedjob.md, "训练的成功和失败判定", "清除策略";
.../references/api-reference/deepspeedjob.md, RunPolicy and Worker.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.plan.failures import DISRUPTION, FailureCase, duration, times
from trainc.plan.fields import Object, at, mapping, number, text
from trainc.systems.shared.t9k.facts import RETRYABLE

_FAILS = "the DeepSpeedJob fails"
_CLEAN_UP = {"All": "all pods are deleted, with their logs", "Unfinished": "running pods are deleted"}


def failure_cases(resource: Object) -> Iterator[FailureCase]:
    """Yield all cases in the order of a job's life."""
    spec = mapping(resource, "spec")
    policy = mapping(spec, "runPolicy")
    if at(spec, "runMode", "pause", "enabled") is True:
        effect = "no pod starts: the DeepSpeedJob is paused until spec.runMode.pause.enabled is false"
        yield FailureCase("the job is applied", effect)
    if at(spec, "scheduler", "t9kScheduler") is not None:
        effect = "no pod starts: the T9k Scheduler gang-schedules them"
        yield FailureCase("not all pods can be scheduled", effect)
    yield from _failure(text(spec, "worker", "restartPolicy") or "OnFailure", number(policy, "backoffLimit"))
    left = _CLEAN_UP.get(text(policy, "cleanUpPolicy"), "running pods continue")
    yield FailureCase("worker 0 has succeeded", f"the DeepSpeedJob has succeeded; {left}")
    yield FailureCase("the DeepSpeedJob has failed", left)
    deadline = number(policy, "activeDeadlineSeconds")
    if deadline is not None:
        yield FailureCase(f"the job has run for {duration(deadline)}", _FAILS)
    yield FailureCase("the job has finished", "the DeepSpeedJob remains until it is deleted")


def _failure(restart_policy: str, limit: int | None) -> Iterator[FailureCase]:
    if restart_policy == "Never":
        yield FailureCase("a worker fails", _FAILS)
        yield FailureCase(DISRUPTION, _FAILS)
        return
    count = f"{times(limit)} for all workers together" if limit is not None else "the operator's default"
    trigger = "a worker fails"
    if restart_policy == "ExitCode":
        trigger = f"a worker exits with {', '.join(map(str, RETRYABLE[:-1]))} or {RETRYABLE[-1]}"
        yield FailureCase("a worker exits with another code", _FAILS)
    yield FailureCase(trigger, f"its pod is recreated, up to {count}; then {_FAILS}")
    yield FailureCase(DISRUPTION, "the pod is recreated; assumed: the failure counts against the backoff limit")
