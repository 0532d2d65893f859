"""Controller of a DeepSpeedJob."""

from __future__ import annotations

from trainc.plan.fields import Object, mapping
from trainc.rehearse.container_size import ContainerSize
from trainc.rehearse.controllers import OperatorController


class DeepSpeedJob(OperatorController):
    """Controller by the rules that operators share."""

    @staticmethod
    def downscale(spec: Object, size: ContainerSize) -> None:
        """Limit the replicas of the workers, and set their slots."""
        spec["worker"] = dict(mapping(spec, "worker"))
        size.limit_fields(spec["worker"], "replicas")
        if size.processes is not None:
            spec["config"] = {**mapping(spec, "config"), "slotsPerWorker": size.processes}


CONTROLLER = DeepSpeedJob
