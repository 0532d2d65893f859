"""Limit of a job whose operator is built on kubeflow/common.

PastBackoffLimit of https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/core/job.go, and pastBackoffLimit
of pkg/controller.v1/common/job.go of kubeflow/common at 0b3a4c3fca85
"""

from __future__ import annotations

from collections.abc import Iterable

from trainc.plan.fields import Object, number
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
