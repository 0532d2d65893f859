"""Controller of a PyTorchJob: https://github.com/kubeflow/training-operator/tree/release-1.9"""

from __future__ import annotations

from trainc.plan.fields import Object, at, mapping, number, text
from trainc.plan.pods import Pod as PodDefinition
from trainc.rehearse.controllers import OperatorController
from trainc.rehearse.downscale import ContainerSize
from trainc.rehearse.pod import Pod
from trainc.systems.pytorchjob.facts import FIRST_RETRYABLE, MASTER, TYPE_LABEL, WORKER
from trainc.systems.pytorchjob.model.defaults import apply_defaults


class PyTorchJob(OperatorController):
    """Controller by the operator's own rules."""

    @staticmethod
    def downscale(spec: Object, size: ContainerSize) -> None:
        """Limit the replicas of the roles and of the elasticPolicy, and set the processes per pod."""
        roles = {role: dict(replicas) for role, replicas in mapping(spec, "pytorchReplicaSpecs").items()}
        spec["pytorchReplicaSpecs"] = roles
        workers = mapping(roles, WORKER)
        if size.max_pods is not None and number(workers, "replicas"):
            max_workers = size.max_pods - 1 if MASTER in roles else size.max_pods
            workers["replicas"] = min(workers["replicas"], max(max_workers, 1))
        policy = dict(mapping(spec, "elasticPolicy"))
        if policy:
            size.limit_fields(policy, "minReplicas", "maxReplicas")
            spec["elasticPolicy"] = policy
        if size.processes is not None and "nProcPerNode" in policy:
            policy["nProcPerNode"] = size.processes
        elif size.processes is not None:
            spec["nprocPerNode"] = str(size.processes)

    def desired(self) -> list[PodDefinition]:
        """Return the Master and the Workers with the lowest numbers."""
        return sorted(self.definitions, key=lambda each: each.labels.get(TYPE_LABEL) != MASTER.lower())[: self.size]

    def evaluate(self, pods: list[Pod]) -> None:
        """UpdateJobStatus of pytorchjob_controller.go, ReconcilePods of pod.go, ReconcileJobs of job.go."""
        policy = mapping(self.manifest, "spec", "runPolicy")
        deadline, limit = number(policy, "activeDeadlineSeconds"), number(policy, "backoffLimit")
        if deadline is not None and self.start_time is not None and self.cluster.now - self.start_time >= deadline:
            self.finish("failed", "DeadlineExceeded", f"it ran for {deadline} s")
            return
        restarts = sum(status.restarts for pod in pods if not pod.is_finished for status in pod.statuses)
        if limit is not None and restarts and restarts >= limit:
            self.finish("failed", "BackoffLimitExceeded", f"{restarts} restarts, of {limit} at most")
            return
        job = apply_defaults(self.manifest)
        for pod in pods:
            if pod.phase != "Failed" or pod.deleting:
                continue
            role = next(role for role in job.roles if role.lower() == pod.definition.labels.get(TYPE_LABEL))
            restart_policy, code = text(job.roles[role], "restartPolicy"), pod.exit_code or 0
            if restart_policy == "ExitCode" and code >= FIRST_RETRYABLE and limit != 0:
                self.delete(pod)
            else:
                self.finish("failed", "PodFailed", f"{pod.name} failed with exit code {code}")
                return
        role = MASTER if MASTER in job.roles else WORKER
        succeeded = [pod.phase == "Succeeded" for pod in pods if pod.definition.labels.get(TYPE_LABEL) == role.lower()]
        any_suffices = job.policy is not None or role == MASTER
        if any(succeeded) if any_suffices else len(pods) == self.size and all(succeeded):
            self.finish("complete", "Succeeded")

    def clean_up(self, pods: list[Pod]) -> None:
        """DeletePodsAndServices of job.go; the default `None` deletes no pod."""
        policy = at(self.manifest, "spec", "runPolicy", "cleanPodPolicy")
        overdue = self.reason == "DeadlineExceeded"
        for pod in pods:
            if policy == "All" or overdue or (policy == "Running" and not pod.is_finished):
                self.delete(pod)


CONTROLLER = PyTorchJob
