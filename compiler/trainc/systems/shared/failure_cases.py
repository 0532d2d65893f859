"""Failure cases that Jobs and operators built on kubeflow/common share."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.plan.failures import FailureCase, duration
from trainc.plan.fields import Object, number

CONTINUE = "running pods continue"
CLEAN_UP = {"Running": "running pods are deleted", "All": "all pods are deleted, with their logs"}


def restart_effect(limit: int | None, failure: str) -> str:
    """Describe restarts of containers up to a backoffLimit, which counts those of all running pods together.

    https://github.com/kubeflow/common/blob/0b3a4c3fca85/pkg/controller.v1/common/job.go, pastBackoffLimit
    """
    backoff = "with a backoff of up to 5 min"
    if limit is None:
        return f"its container is restarted without limit, {backoff}"
    if limit in (0, 1):
        return f"its container is restarted, and {failure}"
    return f"its container is restarted, {backoff}; after {limit} restarts of all running pods together, {failure}"


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
