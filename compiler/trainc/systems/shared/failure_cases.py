"""Failure cases that Jobs and operators built on kubeflow/common share."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.plan.failures import FailureCase, duration
from trainc.plan.fields import Object, number
from trainc.systems.shared.lifecycle import Retries

CONTINUE = "running pods continue"
CLEAN_UP = {"Running": "running pods are deleted", "All": "all pods are deleted, with their logs"}


def restart_effect(limit: Retries | None, failure: str) -> str:
    """Describe restarts of containers up to a limit, which counts those of all running pods together."""
    backoff = "with a backoff of up to 5 min"
    if limit is None:
        return f"its container is restarted without limit, {backoff}"
    if limit.fatal == 1:
        return f"its container is restarted, and {failure}"
    return (
        f"its container is restarted, {backoff}; after {limit.fatal} restarts of all running pods together, {failure}"
    )


def end_cases(kind: str, policy: Object, overdue: str) -> Iterator[FailureCase]:
    """Yield what follows the deadline, with the effect `overdue`, and the end of an object of this kind."""
    deadline, ttl = number(policy, "activeDeadlineSeconds"), number(policy, "ttlSecondsAfterFinished")
    if deadline is not None:
        yield FailureCase(f"the job has run for {duration(deadline)}", overdue)
    if ttl is None:
        yield FailureCase("the job has finished", f"the {kind} and its finished pods remain until they are deleted")
    else:
        trigger = "the job has finished" if ttl == 0 else f"{duration(ttl)} after the job has finished"
        yield FailureCase(trigger, f"the {kind}, its pods and their logs are deleted")
