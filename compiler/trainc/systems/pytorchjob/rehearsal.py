"""Controller of a PyTorchJob: https://github.com/kubeflow/training-operator/tree/release-1.9"""

from __future__ import annotations

from trainc.plan.fields import Object, at, mapping, number, text
from trainc.plan.pods import Pod as PodDefinition
from trainc.rehearse.container_size import ContainerSize
from trainc.rehearse.controllers import OperatorController
from trainc.rehearse.pod import Pod
from trainc.systems.pytorchjob.facts import MASTER, TYPE_LABEL, WORKER
from trainc.systems.pytorchjob.lifecycle import reaction
from trainc.systems.pytorchjob.model.defaults import apply_defaults
from trainc.systems.shared.kubeflow.lifecycle import retries
from trainc.systems.shared.lifecycle import Reaction, Retries


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

    @staticmethod
    def restart_limit(manifest: Object) -> Retries | None:
        """Return the limit of the RunPolicy."""
        roles = apply_defaults(manifest).roles.values()
        return retries(mapping(manifest, "spec", "runPolicy"), (text(role, "restartPolicy") for role in roles))

    def reaction(self, pod: Pod) -> Reaction:
        """Return what follows by the restartPolicy of the pod's role."""
        roles = {role.lower(): spec for role, spec in apply_defaults(self.manifest).roles.items()}
        policy = text(roles.get(pod.definition.labels.get(TYPE_LABEL, "")), "restartPolicy")
        return reaction(mapping(self.manifest, "spec", "runPolicy"), policy, pod.failure)

    def evaluate(self, pods: list[Pod]) -> None:
        """UpdateJobStatus of pytorchjob_controller.go, ReconcileJobs of job.go."""
        if not self.fail_if_overdue(mapping(self.manifest, "spec", "runPolicy")):
            self.handle_failures(pods)
        if self.finished:
            return
        job = apply_defaults(self.manifest)
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
