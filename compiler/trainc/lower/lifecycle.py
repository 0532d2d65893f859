"""When the job has failed."""

from __future__ import annotations

from trainc.ir.job import Failure, Replicas
from trainc.spec.lifecycle import Lifecycle

FAILURES_PER_WORKER = 3
KUBERNETES_DEFAULT = 6


def lower_failure(lifecycle: Lifecycle, replicas: Replicas) -> Failure:
    """Limits, with a backoff limit that fits the number of workers.

    When one worker fails, the launchers of all others exit too and each of their pods counts as a failure, so
    Kubernetes' default of 6 would end a job of eight workers at its first incident.
    """
    fitting = max(KUBERNETES_DEFAULT, FAILURES_PER_WORKER * replicas.maximum)
    return Failure(
        backoff_limit=fitting if lifecycle.backoff_limit is None else lifecycle.backoff_limit,
        active_deadline_seconds=lifecycle.active_deadline_seconds,
        restart_policy=lifecycle.restart_policy,
    )
