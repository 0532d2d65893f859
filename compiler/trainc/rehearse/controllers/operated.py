"""Operators' custom resources: pods that are made again under their names, by the operator's own rules."""

from __future__ import annotations

from collections.abc import Sequence

from trainc.plan.fields import Object, at, mapping, number, text
from trainc.plan.operators import operator
from trainc.plan.pods import Pod as PodDefinition
from trainc.plan.pods import create_pods
from trainc.rehearse.cluster import Cluster
from trainc.rehearse.controllers.base import Controller
from trainc.rehearse.pod import Pod
from trainc.systems.pytorchjob.model.defaults import MASTER, WORKER, defaulted

_ROLE = "training.kubeflow.org/replica-type"
_RETRIED = 128  # exit codes from here on: https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/util/train


class Operated(Controller):
    """Of an operator whose rules aren't known in full: what is gone is made again, and all pods must succeed."""

    def __init__(self, manifest: Object, objects: list[Object], cluster: Cluster) -> None:
        super().__init__(manifest, objects, cluster)
        module = operator(manifest)
        made = module.operator_output(manifest, objects) if module else None
        self.refused: Sequence[str] = made.errors if made else ()
        self.suspended = bool(made and made.suspended)
        self.every = list(create_pods(list(made.objects))) if made else []
        self.size = sum(not one.on_scale_up for one in self.every)
        self.began: float | None = None

    def reconcile(self) -> None:
        """In the operator's order: what has ended first, then what is missing."""
        if self.stopped or self.finished or self.suspended:
            return
        if self.refused:
            self.finish("failed", "Invalid", "; ".join(self.refused))
            return
        self.began = self.cluster.now if self.began is None else self.began
        there = {pod.name: pod for pod in self.pods if not pod.gone}
        wanted = {one.name: one for one in self.wanted()}
        self.judge([there[name] for name in wanted if name in there])
        if self.finished:
            self.clean(list(there.values()))
            return
        for name, pod in there.items():
            if name not in wanted:
                self.delete(pod)
        for name, made in wanted.items():
            if name not in there:
                self.create(made)

    def wanted(self) -> list[PodDefinition]:
        """The pods of the present size."""
        return self.every[: self.size]

    def judge(self, there: list[Pod]) -> None:
        """Whether the job has ended, by its pods."""
        failed = [pod.name for pod in there if pod.phase == "Failed" and not pod.deleting]
        if failed:
            self.finish("failed", "PodFailed", f"{failed[0]} failed")
        elif len(there) == len(self.wanted()) and all(pod.phase == "Succeeded" for pod in there):
            self.finish("complete", "Succeeded")

    def clean(self, there: list[Pod]) -> None:
        """What the end does to pods that are still there."""

    def scale(self, to: int) -> None:
        """So many pods, of those that its largest world has."""
        self.size = min(to, len(self.every))

    def resume(self) -> None:
        """`suspend: false`."""
        self.suspended = False


class PyTorchJob(Operated):
    """https://github.com/kubeflow/training-operator/tree/release-1.9, in the files that the plan of it names."""

    def wanted(self) -> list[PodDefinition]:
        """Of a scaled one, the Workers of the lowest numbers."""
        return sorted(self.every, key=lambda one: one.labels.get(_ROLE) != MASTER.lower())[: self.size]

    def judge(self, there: list[Pod]) -> None:
        """UpdateJobStatus of pytorchjob_controller.go, ReconcilePods of pod.go, ReconcileJobs of job.go."""
        policy = mapping(self.manifest, "spec", "runPolicy")
        deadline, limit = number(policy, "activeDeadlineSeconds"), number(policy, "backoffLimit")
        if deadline is not None and self.began is not None and self.cluster.now - self.began >= deadline:
            self.finish("failed", "DeadlineExceeded", f"it ran for {deadline} s")
            return
        restarts = sum(one.restarts for pod in there if not pod.is_finished for one in pod.statuses)
        if limit is not None and restarts and restarts >= limit:
            self.finish("failed", "BackoffLimitExceeded", f"{restarts} restarts, of {limit} at most")
            return
        job = defaulted(self.manifest)
        for pod in there:
            if pod.phase != "Failed" or pod.deleting:
                continue
            role = next(one for one in job.roles if one.lower() == pod.definition.labels.get(_ROLE))
            kind, code = text(job.roles[role], "restartPolicy"), pod.exit_code or 0
            if kind == "ExitCode" and code >= _RETRIED and limit != 0:
                self.delete(pod)
            else:
                self.finish("failed", "PodFailed", f"{pod.name} failed with exit code {code}")
                return
        decides = MASTER if MASTER in job.roles else WORKER
        ends = [pod.phase == "Succeeded" for pod in there if pod.definition.labels.get(_ROLE) == decides.lower()]
        enough = any(ends) if job.policy is not None or decides == MASTER else len(there) == self.size and all(ends)
        if enough:
            self.finish("complete", "Succeeded")

    def clean(self, there: list[Pod]) -> None:
        """DeletePodsAndServices of job.go: `None`, the default, leaves them be."""
        clean = at(self.manifest, "spec", "runPolicy", "cleanPodPolicy")
        late = self.reason == "DeadlineExceeded"
        for pod in there:
            if clean == "All" or late or (clean == "Running" and not pod.is_finished):
                self.delete(pod)
