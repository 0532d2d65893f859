"""Controller of an MPIJob, for sizes only: a rehearsal has neither the operator's ssh keys nor its hostfile."""

from __future__ import annotations

from trainc.plan.fields import Object, mapping
from trainc.rehearse.controllers import OperatorController
from trainc.rehearse.downscale import ContainerSize
from trainc.systems.mpijob.facts import WORKER


class MPIJob(OperatorController):
    """Controller by the rules that operators share."""

    @staticmethod
    def downscale(spec: Object, size: ContainerSize) -> None:
        """Limit the replicas of the workers, and set their slots."""
        roles = {role: dict(replicas) for role, replicas in mapping(spec, "mpiReplicaSpecs").items()}
        size.limit_fields(roles.get(WORKER, {}), "replicas")
        spec["mpiReplicaSpecs"] = roles
        if size.processes is not None:
            spec["slotsPerWorker"] = size.processes


CONTROLLER = MPIJob
