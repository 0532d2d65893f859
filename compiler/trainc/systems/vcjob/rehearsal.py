"""Controller of a Job of Volcano: its policies, and the states that follow from its pods.

https://github.com/volcano-sh/volcano/tree/v1.15.1/pkg/controllers/job: state/*.go, job_controller_handler.go
"""

from __future__ import annotations

from trainc.plan.fields import Object, items, number
from trainc.plan.pods import Pod as PodDefinition
from trainc.rehearse.cluster import Cluster
from trainc.rehearse.container_size import ContainerSize
from trainc.rehearse.controllers import OperatorController
from trainc.rehearse.pod import Pod
from trainc.systems.vcjob import facts
from trainc.systems.vcjob.lifecycle import action, retries
from trainc.systems.vcjob.model.spec import read_job

_SIZES = ("replicas", "minAvailable")


class VolcanoJob(OperatorController):
    """Restarts all pods, or one, by the first policy that matches, up to maxRetry."""

    def __init__(self, manifest: Object, objects: list[Object], cluster: Cluster) -> None:
        super().__init__(manifest, objects, cluster)
        self.job = read_job(manifest)
        self.tasks = {task.name: task for task in self.job.tasks}
        self.retries = 0

    @staticmethod
    def downscale(spec: Object, size: ContainerSize) -> None:
        """Limit the replicas of all tasks together, and the gang."""
        left, tasks = size.max_pods, [dict(task) for task in items(spec, "tasks")]
        for task in tasks:
            for field in _SIZES if left is not None else ():
                if number(task, field) is not None:
                    task[field] = min(task[field], max(left or 0, 0))
            left = None if left is None else left - (number(task, "replicas") or 0)
        spec["tasks"] = tasks
        size.limit_fields(spec, "minAvailable", "minSuccess")

    def create(self, definition: PodDefinition, uid: str = "") -> Pod:
        """Create a pod of this Job, whose uid is part of the group's name."""
        return super().create(definition, uid or f"{id(self):x}")

    def reconcile(self) -> None:
        """Handle the pods that others have deleted, then as for all operators."""
        if not (self.stopped or self.finished):
            for pod in [pod for pod in self.pods if pod.gone and not pod.counted]:
                pod.counted = True
                self._act(pod, "PodEvicted", None)
        super().reconcile()

    def delete(self, pod: Pod) -> None:
        """Delete a pod without an event: it is out of sync."""
        pod.counted = True
        super().delete(pod)

    def evaluate(self, pods: list[Pod]) -> None:
        """updatePod of job_controller_handler.go, runningState of state/running.go."""
        for pod in pods:
            if pod.phase == "Failed" and not pod.counted and not pod.deleting and not self.finished:
                pod.counted = True
                self._act(pod, "PodFailed", pod.exit_code)
        if self.finished:
            return
        ended = {name: [pod for pod in pods if self._task(pod) == name] for name in self.tasks}
        for name, task in self.tasks.items():
            succeeded = [pod.phase == "Succeeded" for pod in ended[name]]
            if task.replicas and succeeded.count(True) >= task.replicas:
                self._end(action(self.job, task, "TaskCompleted"), f"task {name} has completed")
        if self.finished:
            return
        count = sum(pod.phase == "Succeeded" for pod in pods)
        least = number(self.job.spec, "minSuccess")
        if least is not None and count >= least:
            self.finish("complete", "Completed")
        elif len(pods) == self.size and all(pod.is_finished for pod in pods):
            is_enough = count >= max(self.job.min_available, least or 0)
            self.finish("complete" if is_enough else "failed", "Completed" if is_enough else "PodFailed")

    def _act(self, pod: Pod, event: str, code: int | None) -> None:
        """applyPolicies of job_controller_util.go; restartingState of state/restarting.go."""
        task = self.tasks.get(self._task(pod))
        name = action(self.job, task, event, code) if task else ""
        if task is None or name not in facts.RESTARTS:
            self._end(name, f"{pod.name} failed" if event == "PodFailed" else f"{pod.name} was evicted")
            return
        self.retries += 1
        limit = retries(self.job.spec).fatal
        if self.retries >= limit:
            self.finish("failed", "MaxRetry", f"{pod.name} failed; {self.retries} restarts, of {limit}")
            return
        targets = self.pods if name == "RestartJob" else [each for each in self.pods if self._task(each) == task.name]
        for each in [pod] if name == "RestartPod" else targets:
            if not each.gone:
                self.delete(each)

    def _end(self, name: str, message: str) -> None:
        if name == "CompleteJob":
            self.finish("complete", "Completed")
        elif name in ("AbortJob", "TerminateJob"):
            self.finish("failed", name, message)

    @staticmethod
    def _task(pod: Pod) -> str:
        return pod.definition.labels.get(facts.TASK_LABEL, "")

    def clean_up(self, pods: list[Pod]) -> None:
        """Delete the pods that still run: finishedState of state/finished.go."""
        for pod in pods:
            if not pod.is_finished:
                self.delete(pod)


CONTROLLER = VolcanoJob
