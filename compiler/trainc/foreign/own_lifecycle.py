"""Lifecycle of a job that trainc emitted: which of its values trainc states for a job file without them."""

from __future__ import annotations

from trainc.lower.lifecycle import lower_failure
from trainc.lower.size import lower_replicas
from trainc.spec.job import TrainingJob
from trainc.spec.lifecycle import Lifecycle
from trainc.systems.shared.reader.tree import without_entries
from trainc.target import Target

_LIMITS = ("backoffLimit", "backoffLimitPerIndex")


def without_lifecycle_defaults(job: TrainingJob, target: Target) -> TrainingJob:
    """Return the job without the restart policy and the backoff limits that it has by default on its system.

    Rules about restarts ask whether the user wants any.
    """
    lifecycle, by_default = job.lifecycle, target.system.container_restarts == "by default"
    if lifecycle.restart_policy == "OnFailure" and by_default and lifecycle.backoff_limit != 0:
        lifecycle = Lifecycle.read(without_entries(lifecycle.node, "restartPolicy"))
    shorter = Lifecycle.read(without_entries(lifecycle.node, *_LIMITS))
    replicas, once = lower_replicas(job, target), job.share_file is not None
    stated, default = (lower_failure(each, replicas, target, once) for each in (lifecycle, shorter))
    return job.replace(lifecycle=shorter if stated == default else lifecycle)
