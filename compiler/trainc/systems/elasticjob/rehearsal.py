"""Controller of an ElasticJob."""

from __future__ import annotations

from trainc.plan.fields import Object, mapping, text
from trainc.rehearse.container_size import ContainerSize
from trainc.rehearse.controllers import OperatorController
from trainc.rehearse.pod import Pod
from trainc.systems.elasticjob.lifecycle import reaction
from trainc.systems.shared.kubeflow.lifecycle import retries
from trainc.systems.shared.lifecycle import Effect, PodFailure, Reaction, Retries


class ElasticJob(OperatorController):
    """Controller by the rules that operators share, and the restartPolicy of the workers."""

    @staticmethod
    def restart_limit(manifest: Object) -> Retries | None:
        """Return the limit of the RunPolicy."""
        return retries(mapping(manifest, "spec", "RunPolicy"), [_restart_policy(manifest)])

    @classmethod
    def first_failure(cls, manifest: Object, restart_policy: str, failure: PodFailure) -> Effect | None:
        """Return what follows by the restartPolicy of the workers."""
        if restart_policy == "Never":
            return reaction(_restart_policy(manifest), failure).effect
        return super().first_failure(manifest, restart_policy, failure)

    def reaction(self, pod: Pod) -> Reaction:
        """Return what follows by the restartPolicy of the workers."""
        return reaction(_restart_policy(self.manifest), pod.failure)

    @staticmethod
    def downscale(spec: Object, size: ContainerSize) -> None:
        """Limit the replicas of the role and their bounds."""
        size.limit_fields(spec, "minReplicas", "maxReplicas")
        roles = {role: dict(replicas) for role, replicas in mapping(spec, "replicaSpecs").items()}
        spec["replicaSpecs"] = roles
        for replicas in roles.values():
            size.limit_fields(replicas, "replicas")


def _restart_policy(manifest: Object) -> str:
    return text(manifest, "spec", "replicaSpecs", "Worker", "restartPolicy")


CONTROLLER = ElasticJob
