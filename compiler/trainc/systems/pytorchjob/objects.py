"""pytorchjob: a PyTorchJob of Kubeflow's training operator (1.9), which makes pods, Services and an autoscaler of it.

https://github.com/kubeflow/training-operator/tree/release-1.9
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainc.emit.render import Planned
from trainc.ir.env import PodFact
from trainc.ir.job import Gang, Job
from trainc.systems.pytorchjob.facts import CONTAINER, INDEX_LABEL, ROLE_LABEL
from trainc.systems.pytorchjob.resource_fields import elastic_policy, restart_policy, run_policy, told
from trainc.systems.pytorchjob.traits import TRAITS
from trainc.systems.shared.objects.base import Backend, Fact, field
from trainc.systems.shared.objects.kueue import marked, named
from trainc.systems.shared.objects.labels import metadata
from trainc.target import Target


class PyTorchJob(Backend):
    """Workers alone, of which all must succeed, or, of an elastic job, any; where worker 0's success is asked for it
    is the Master. So says UpdateJobStatus of pkg/controller.v1/pytorch/pytorchjob_controller.go."""

    traits = TRAITS

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        """What is shared, then the PyTorchJob."""
        yield from self.shared(job)
        workers = job.replicas.initial - (1 if job.has_leader_role else 0)
        roles = [("Master", 1), ("Worker", workers)] if job.has_leader_role else [("Worker", workers)]
        variables = {variable["name"]: variable for variable in self.pod(job)["env"]}
        context = {
            **metadata(job, job.name),
            "processes": _processes(job, variables),
            "elastic_policy": elastic_policy(job),
            "run_policy": run_policy(job, grouped=job.gang is not None and self.makes_gangs(job.gang)),
            "restart_policy": restart_policy(job.failure),
            "roles": roles,
            # The operator finds the pods' group and scheduler, and gives them names.
            "pod": self.pod(_operated(job, self), subdomain=None),
        }
        if job.queue and not job.paused:
            # https://kueue.sigs.k8s.io/docs/tasks/run/kubeflow/pytorchjobs/
            context = marked(context, named(job.queue), {})
        yield Planned(
            kind="PyTorchJob",
            template="pytorchjob/pytorchjob.yaml.j2",
            context=context,
            pods_at=tuple(("spec", "pytorchReplicaSpecs", role, "template") for role, _ in roles),
            patch=job.pod.patch,
            container=CONTAINER,
        )

    def services(self, job: Job) -> Iterator[Planned]:
        """The operator makes one for each pod, of the pod's name."""
        return iter(())

    def leader(self) -> dict[str, str]:
        """The operator calls the Master so, or without one worker 0."""
        return {ROLE_LABEL: "master"}

    def makes_gangs(self, gang: Gang) -> bool:
        """The operator knows these two, if it is started with --gang-scheduler-name."""
        return gang.scheduler in ("volcano", "coscheduling")

    def fact(self, fact: PodFact, job: Job, index: int | None) -> Fact:
        """The index from the operator's label; the operator tells pods nothing of the job's UID."""
        return field(f"metadata.labels['{INDEX_LABEL}']") if fact is PodFact.INDEX else job.name


def _processes(job: Job, variables: dict[str, Any]) -> str:
    given = variables.get("PET_NPROC_PER_NODE")
    return given["value"] if given else str(job.launch.process_count or 1)


def _operated(job: Job, backend: Backend) -> Job:
    """The job without what the operator adds by itself."""
    gang = None if job.gang and backend.makes_gangs(job.gang) else job.gang
    return job.replace(gang=gang, pod=told(job))


BACKEND = PyTorchJob
