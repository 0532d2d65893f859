"""Back end: an ElasticJob of the Torch Elastic operator, which creates pods and Services from it.

https://github.com/pytorch/elastic/tree/master/kubernetes
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.emit.render import Planned
from trainc.ir.job import Addition, Job
from trainc.systems.elasticjob.facts import INDEX_LABEL, SHIFTED
from trainc.systems.elasticjob.fields import FIELDS, ROLES, restart_policy
from trainc.systems.elasticjob.resource_fields import operated_pod
from trainc.systems.elasticjob.traits import TRAITS
from trainc.systems.shared.fields import written
from trainc.systems.shared.objects.base import Backend
from trainc.systems.shared.objects.labels import pod_group
from trainc.target import Target

# Drops the operator's arguments before a program that isn't torchrun.
SHIFT = Addition(words="sh -c ...", field="--backend elasticjob")


class ElasticJob(Backend):
    """A fixed number of workers, all of which must succeed: UpdateJobStatus of kubernetes/controllers/job.go."""

    traits = TRAITS
    index_label = INDEX_LABEL

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        """Yield the shared objects and, unless paused, the ElasticJob: one without workers succeeds at once."""
        yield from self.shared(job)
        if job.paused:
            return
        replicas = job.replicas
        plan, endpoint = operated_pod(job)
        if plan.program.command == SHIFTED:
            job = job.replace(additions=(SHIFT, *job.additions))
        plan = plan.replace(placement=plan.placement.replace(topology_spread_constraints=None))
        yield self.workers(
            job,
            ("spec", ROLES, "Worker", "template"),
            endpoint=endpoint,
            **written(FIELDS, job),
            replicas=replicas.initial,
            restart_policy=restart_policy(job.failure),
            pod=self.pod(
                job.replace(pod=plan),
                # Kueue doesn't support ElasticJobs, but queues Pods of any controller.
                more=pod_group(job, replicas.initial),
                activeDeadlineSeconds=job.failure.active_deadline_seconds,
            ),
        )


BACKEND = ElasticJob
