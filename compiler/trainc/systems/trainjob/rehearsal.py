"""Controller of a TrainJob, which creates a JobSet: https://github.com/kubeflow/trainer/tree/v2.3.0/pkg/controller"""

from __future__ import annotations

from trainc.plan.fields import Object, mapping
from trainc.rehearse.cluster import Cluster
from trainc.rehearse.container_size import ContainerSize
from trainc.systems.jobset.rehearsal import JobSet
from trainc.systems.trainjob.model import operator_output


class TrainJob(JobSet):
    """Controller of the TrainJob's JobSet, with the TrainJob's own time limit."""

    def __init__(self, manifest: Object, objects: list[Object], cluster: Cluster) -> None:
        output = operator_output(manifest, objects)
        self._created = output.objects[-1] if output.objects else {}
        super().__init__(manifest, objects, cluster)
        self.errors = output.faults

    def create_job_set(self) -> Object:
        """Return the JobSet that Kubeflow Trainer creates; empty for a job that it rejects."""
        return self._created

    @staticmethod
    def downscale(spec: Object, size: ContainerSize) -> None:
        """Limit the nodes, and set the processes per node."""
        trainer = dict(mapping(spec, "trainer"))
        if trainer:
            size.limit_fields(trainer, "numNodes")
            if size.processes is not None and "numProcPerNode" in trainer:
                trainer["numProcPerNode"] = size.processes
            spec["trainer"] = trainer

    def reconcile(self) -> None:
        """End the job after its time: reconcileDeadline of trainjob_controller.go."""
        if not self.suspended and self.start_time is None:
            self.start_time = self.cluster.now
        if not (self.stopped or self.finished or self.fail_if_overdue(mapping(self.manifest, "spec"))):
            super().reconcile()


CONTROLLER = TrainJob
