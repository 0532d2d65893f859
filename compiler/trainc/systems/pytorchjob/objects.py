"""Back end: a PyTorchJob of Kubeflow's training operator 1.9, which creates pods, Services and an autoscaler from it.

https://github.com/kubeflow/training-operator/tree/release-1.9
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainc.emit.render import Planned
from trainc.ir.env import PodFact
from trainc.ir.job import Gang, Job
from trainc.systems.pytorchjob.facts import CONTAINER, INDEX_LABEL, MASTER, ROLE_LABEL, WORKER
from trainc.systems.pytorchjob.resource_fields import elastic_policy, operated_pod, restart_policy, run_policy
from trainc.systems.pytorchjob.traits import TRAITS
from trainc.systems.shared.objects.base import Backend, Fact, field
from trainc.systems.shared.objects.kueue import queue_labels, with_metadata
from trainc.systems.shared.objects.labels import metadata
from trainc.target import Target


class PyTorchJob(Backend):
    """Workers without a Master, all of which must succeed, or any if the job is elastic. If worker 0 decides the
    success, it is the Master: UpdateJobStatus of pkg/controller.v1/pytorch/pytorchjob_controller.go."""

    traits = TRAITS

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        """Yield the shared objects, then the PyTorchJob."""
        yield from self.shared(job)
        workers = job.replicas.initial - (1 if job.has_leader_role else 0)
        roles = [(MASTER, 1), (WORKER, workers)] if job.has_leader_role else [(WORKER, workers)]
        variables = {variable["name"]: variable for variable in self.pod(job)["env"]}
        context = {
            **metadata(job, job.name),
            "processes": _processes(job, variables),
            "elastic_policy": elastic_policy(job),
            "run_policy": run_policy(job, grouped=job.gang is not None and self.creates_gang(job.gang)),
            "restart_policy": restart_policy(job.failure),
            "roles": roles,
            # The operator sets subdomain, group and scheduler of the pods.
            "pod": self.pod(_as_operated(job, self), subdomain=None),
        }
        if job.queue and not job.paused:
            # https://kueue.sigs.k8s.io/docs/tasks/run/kubeflow/pytorchjobs/
            context = with_metadata(context, queue_labels(job.queue), {})
        yield Planned(
            kind="PyTorchJob",
            template="pytorchjob/pytorchjob.yaml.j2",
            context=context,
            pods_at=tuple(("spec", "pytorchReplicaSpecs", role, "template") for role, _ in roles),
            patch=job.pod.patch,
            container=CONTAINER,
        )

    def services(self, job: Job) -> Iterator[Planned]:
        """Yield nothing: the operator creates a Service for each pod, with the pod's name."""
        return iter(())

    def leader(self) -> dict[str, str]:
        """Return the operator's label of the Master, or of worker 0 in a job without one."""
        return {ROLE_LABEL: "master"}

    def creates_gang(self, gang: Gang) -> bool:
        """Return whether the operator supports the scheduler, with --gang-scheduler-name."""
        return gang.scheduler in ("volcano", "coscheduling")

    def fact(self, fact: PodFact, job: Job, index: int | None) -> Fact:
        """Return the operator's label for the index, and the job's name for the run: pods don't learn the UID."""
        return field(f"metadata.labels['{INDEX_LABEL}']") if fact is PodFact.INDEX else job.name


def _processes(job: Job, variables: dict[str, Any]) -> str:
    variable = variables.get("PET_NPROC_PER_NODE")
    return variable["value"] if variable else str(job.launch.process_count or 1)


def _as_operated(job: Job, backend: Backend) -> Job:
    """Remove what the operator adds by itself."""
    gang = None if job.gang and backend.creates_gang(job.gang) else job.gang
    return job.replace(gang=gang, pod=operated_pod(job))


BACKEND = PyTorchJob
