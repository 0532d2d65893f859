"""What follows a failure, a success and the end of a DeepSpeedJob, as far as T9k's documents say.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/deepspeedjob.md, "训练的成功和失败判定", "清除策略";
.../references/api-reference/deepspeedjob.md, RunPolicy and Worker.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.plan.duration import duration
from trainc.plan.failure_case import DISRUPTION, FailureCase, times
from trainc.plan.fields import Object, at, mapping, number, text
from trainc.systems.shared.t9k.facts import RETRYABLE

_FAILS = "the DeepSpeedJob fails"
_LEFT = {"All": "its pods are deleted, with their logs", "Unfinished": "pods that still run are deleted"}


def failure_cases(resource: Object) -> Iterator[FailureCase]:
    """In the order in which a person asks: the start, failures, the end, what is left."""
    spec = mapping(resource, "spec")
    policy = mapping(spec, "runPolicy")
    if at(spec, "runMode", "pause", "enabled") is True:
        then = "nothing starts: the DeepSpeedJob is paused until spec.runMode.pause.enabled is false"
        yield FailureCase("it is applied", then)
    if at(spec, "scheduler", "t9kScheduler") is not None:
        then = "none starts: they start together, by the T9k Scheduler"
        yield FailureCase("there is room for fewer than all pods", then)
    kind = text(spec, "worker", "restartPolicy") or "OnFailure"
    limit = number(policy, "backoffLimit")
    if kind == "Never":
        yield FailureCase("a worker fails", _FAILS)
        yield FailureCase(DISRUPTION, _FAILS)
    else:
        again = f", up to {times(limit)} for all workers together" if limit is not None else ""
        then = f"its pod is made again{again or ', as often as the operator does by default'}; then {_FAILS}"
        when = "a worker fails"
        if kind == "ExitCode":
            when = f"a worker exits with {', '.join(map(str, RETRYABLE[:-1]))} or {RETRYABLE[-1]}"
            yield FailureCase("a worker exits with another code", _FAILS)
        yield FailureCase(when, then)
        yield FailureCase(DISRUPTION, "the pod is made again, which is assumed to count as a failure")
    left = _LEFT.get(text(policy, "cleanUpPolicy"), "pods that still run go on")
    yield FailureCase("worker 0 has succeeded", f"the DeepSpeedJob has succeeded; {left}")
    yield FailureCase("the DeepSpeedJob has failed", left)
    seconds = number(policy, "activeDeadlineSeconds")
    if seconds is not None:
        yield FailureCase(f"it has run for {duration(seconds)}", _FAILS)
    yield FailureCase("it has ended", "the DeepSpeedJob stays until somebody deletes it")
