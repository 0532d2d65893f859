"""What follows when a pod of an ElasticJob has failed: ReconcilePods of pkg/controller.v1/common/pod.go of
kubeflow/common at 0b3a4c3fca85, UpdateJobStatus of controllers/job.go of the operator.
"""

from __future__ import annotations

from trainc.systems.elasticjob.facts import CONTAINER
from trainc.systems.shared.kubeflow.facts import RETRYABLE
from trainc.systems.shared.lifecycle import PodFailure, Reaction


def reaction(restart_policy: str, failure: PodFailure) -> Reaction:
    """Return what follows by the restartPolicy of the workers."""
    if restart_policy != "ExitCode":
        return Reaction(effect="job fails")
    return Reaction(effect="replaced" if failure.code(CONTAINER) in RETRYABLE else "stays", counts=False)
