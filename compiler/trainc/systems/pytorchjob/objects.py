"""Back end: a PyTorchJob of Kubeflow's training operator 1.9, which creates pods, Services and an autoscaler from it.

https://github.com/kubeflow/training-operator/tree/release-1.9
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.emit.render import Planned
from trainc.ir.job import Job
from trainc.systems.pytorchjob import resource_fields
from trainc.systems.pytorchjob.dialects import dialect_of
from trainc.systems.pytorchjob.facts import INDEX_LABEL, MASTER, WORKER
from trainc.systems.pytorchjob.traits import TRAITS
from trainc.systems.shared.objects.base import Backend
from trainc.systems.shared.objects.labels import queue_labels
from trainc.target import Target


class PyTorchJob(Backend):
    """Workers without a Master, all of which must succeed, or any if the job is elastic. If worker 0 decides the
    success, it is the Master: UpdateJobStatus of pkg/controller.v1/pytorch/pytorchjob_controller.go."""

    traits = TRAITS
    index_label = INDEX_LABEL
    gang_schedulers = ("volcano", "coscheduling")  # with --gang-scheduler-name

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        yield from self.shared(job)
        dialect, workers = dialect_of(target.controller_version), job.replicas.initial
        roles = [(MASTER, 1), (WORKER, workers - 1)] if job.has_leader_role else [(WORKER, workers)]
        yield self.workers(
            job,
            *(("spec", "pytorchReplicaSpecs", role, "template") for role, _ in roles),
            # https://kueue.sigs.k8s.io/docs/tasks/run/kubeflow/pytorchjobs/
            more=({} if job.paused else queue_labels(job), {}),
            api_version=dialect.api_version,
            processes=resource_fields.processes_per_pod(job) if dialect.has_processes else None,
            elastic_policy=resource_fields.elastic_policy(job),
            run_policy=resource_fields.run_policy(job, grouped=self.own_gang(job) is not None),
            restart_policy=resource_fields.restart_policy(job.failure),
            roles=roles,
            # The operator sets subdomain, group and scheduler of the pods. It checks the job's deadline only when a pod
            # or the job changes; the pods' own deadline is such a change.
            pod=self.pod(
                job.replace(pod=resource_fields.operated_pod(job, dialect)),
                activeDeadlineSeconds=job.failure.active_deadline_seconds,
            ),
        )


BACKEND = PyTorchJob
