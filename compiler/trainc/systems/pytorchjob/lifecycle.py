"""What follows when a pod of a PyTorchJob has failed.

https://github.com/kubeflow/training-operator/tree/release-1.9/pkg/controller.v1: ReconcilePods of common/pod.go,
ReconcileJobs of common/job.go, UpdateJobStatus of pytorch/pytorchjob_controller.go
"""

from __future__ import annotations

from trainc.plan.fields import Object, number
from trainc.systems.pytorchjob.facts import CONTAINER, FIRST_RETRYABLE
from trainc.systems.shared.lifecycle import PodFailure, Reaction


def reaction(policy: Object, restart_policy: str, failure: PodFailure) -> Reaction:
    """Return what follows by the RunPolicy and the restartPolicy of the pod's role. A container without an exit code
    counts as retryable (0xbeef)."""
    code = failure.code(CONTAINER)
    is_permanent = restart_policy == "ExitCode" and code is not None and code < FIRST_RETRYABLE
    if restart_policy == "Never" or is_permanent or number(policy, "backoffLimit") == 0:
        return Reaction(effect="job fails")
    return Reaction(effect="replaced", counts=False)
