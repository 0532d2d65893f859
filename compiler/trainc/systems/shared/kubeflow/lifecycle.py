"""Limit and gang of a job whose operator is built on kubeflow/common.

PastBackoffLimit of https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/core/job.go, and pastBackoffLimit
of pkg/controller.v1/common/job.go of kubeflow/common at 0b3a4c3fca85
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainc.plan.failures import FailureCase
from trainc.plan.fields import Object, at, number
from trainc.systems.shared.lifecycle import Retries


def retries(policy: Object, restart_policies: Iterable[str]) -> Retries | None:
    """Return the limit of a RunPolicy for roles with these policies. It counts the container restarts of running pods.

    The operator recreates pods of restartPolicy ExitCode, whose containers never restart, without a limit.
    """
    policies, limit = set(restart_policies), number(policy, "backoffLimit")
    if policies == {"Never"}:
        return Retries(limit=0, fatal=1, counted="failed pods")
    if limit is None or policies == {"ExitCode"}:
        return None
    return Retries(limit=limit, fatal=max(limit, 1), counted="container restarts")


def gang_size(policy: Object, pods: int) -> int | None:
    """Return how many pods the schedulingPolicy of a RunPolicy starts together, by default all; None without one."""
    if at(policy, "schedulingPolicy") is None:
        return None
    least = number(policy, "schedulingPolicy", "minAvailable")
    return pods if least is None else least


def gang_case(policy: Object, pods: int, option: str) -> Iterator[FailureCase]:
    """Yield what follows if the gang has no room; `option` is that of the operator by which gangs are scheduled."""
    least = gang_size(policy, pods)
    if least is not None:
        effect = f"no pod starts: they are gang-scheduled, if the operator runs with {option}"
        yield FailureCase(f"fewer than {least} pods can be scheduled", effect)
