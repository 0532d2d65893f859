"""Controller of an MPIJob: workers, and the launcher's Job once they are ready.

https://github.com/kubeflow/mpi-operator/blob/v0.8.2/pkg/controller/mpi_job_controller.go, syncHandler
"""

from __future__ import annotations

from trainc.launchers.mpirun.command import limit_process_count
from trainc.plan.fields import Object, items, listed, mapping, number, text
from trainc.plan.models import native_objects
from trainc.rehearse.cluster import Cluster
from trainc.rehearse.container_size import ContainerSize
from trainc.rehearse.controllers import OperatorController
from trainc.rehearse.pod import Pod
from trainc.systems.job.rehearsal import Job
from trainc.systems.mpijob.facts import LAUNCHER, WORKER


class LauncherJob(Job):
    """Job of the launcher, whose end the MPIJob reports."""

    runs_workers = False
    is_owned = True


class MPIJob(OperatorController):
    """Controller of the workers, which don't end by themselves."""

    def __init__(self, manifest: Object, objects: list[Object], cluster: Cluster) -> None:
        super().__init__(manifest, objects, cluster)
        jobs = (each for each in native_objects([manifest]) if text(each, "kind") == "Job")
        self.launcher = next((LauncherJob(each, objects, cluster) for each in jobs), None)
        self.definitions = [each for each in self.definitions if not each.is_launcher]
        self.size = len(self.definitions)

    @staticmethod
    def downscale(spec: Object, size: ContainerSize) -> None:
        """Limit the replicas of the workers, and set their slots."""
        roles = {role: dict(replicas) for role, replicas in mapping(spec, "mpiReplicaSpecs").items()}
        size.limit_fields(roles.get(WORKER, {}), "replicas")
        spec["mpiReplicaSpecs"] = roles
        if size.processes is not None:
            spec["slotsPerWorker"] = size.processes
        launcher = roles.get(LAUNCHER, {})
        containers = items(launcher, "template", "spec", "containers")
        if containers:
            count = (number(roles, WORKER, "replicas") or 1) * (number(spec, "slotsPerWorker") or 1)
            containers[0]["args"] = limit_process_count(
                [*listed(containers[0], "command"), *listed(containers[0], "args")], count
            )[len(listed(containers[0], "command")) :]

    def evaluate(self, pods: list[Pod]) -> None:
        """Start the launcher, by default at once, and end with it. A failed worker stays failed."""
        waits = text(self.manifest, "spec", "launcherCreationPolicy") == "WaitForWorkersReady"
        is_ready = len(pods) == len(self.definitions) and all(pod.ready for pod in pods)
        if self.launcher and (self.launcher.pods or is_ready or not waits):
            self.launcher.reconcile()
            if self.launcher.finished:
                self.finish(self.launcher.finished, self.launcher.reason, self.launcher.message)

    def clean_up(self, pods: list[Pod]) -> None:
        """cleanUpWorkerPods"""
        if text(self.manifest, "spec", "runPolicy", "cleanPodPolicy") in ("Running", "All"):
            for pod in pods:
                self.delete(pod)

    def stop(self) -> None:
        """Delete the MPIJob and its pods."""
        super().stop()
        if self.launcher:
            self.launcher.stop()


CONTROLLER = MPIJob
