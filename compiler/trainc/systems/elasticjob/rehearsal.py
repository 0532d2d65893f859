"""Controller of an ElasticJob."""

from __future__ import annotations

from trainc.plan.fields import Object, mapping
from trainc.rehearse.controllers import OperatorController
from trainc.rehearse.downscale import ContainerSize


class ElasticJob(OperatorController):
    """Controller by the rules that operators share."""

    @staticmethod
    def downscale(spec: Object, size: ContainerSize) -> None:
        """Limit the replicas of the role and their bounds."""
        size.limit_fields(spec, "minReplicas", "maxReplicas")
        roles = {role: dict(replicas) for role, replicas in mapping(spec, "replicaSpecs").items()}
        spec["replicaSpecs"] = roles
        for replicas in roles.values():
            size.limit_fields(replicas, "replicas")


CONTROLLER = ElasticJob
