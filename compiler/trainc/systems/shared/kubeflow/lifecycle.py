"""Failure cases that operators built on kubeflow/common share."""

from __future__ import annotations

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
