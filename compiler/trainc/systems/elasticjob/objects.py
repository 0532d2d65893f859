"""Back end: an ElasticJob of the Torch Elastic operator, which creates pods and Services from it.

https://github.com/pytorch/elastic/tree/master/kubernetes
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.emit.render import Planned
from trainc.ir.env import PodFact
from trainc.ir.job import Job
from trainc.systems.elasticjob.facts import CONTAINER, INDEX_LABEL, TYPE_LABEL
from trainc.systems.elasticjob.resource_fields import operated_pod, restart_policy, run_policy
from trainc.systems.elasticjob.traits import TRAITS
from trainc.systems.shared.objects.base import Backend, Fact, field
from trainc.systems.shared.objects.kueue import pod_metadata, with_metadata
from trainc.systems.shared.objects.labels import metadata
from trainc.target import Target


class ElasticJob(Backend):
    """A fixed number of workers, all of which must succeed: UpdateJobStatus of kubernetes/controllers/job.go."""

    traits = TRAITS

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        """Yield the shared objects and, unless paused, the ElasticJob: one without workers succeeds at once."""
        yield from self.shared(job)
        if job.paused:
            return
        operated, low, high = operated_pod(job), job.replicas.minimum, job.replicas.maximum
        placement = job.pod.placement.replace(topology_spread_constraints=None)
        pod = self.pod(
            job.replace(pod=operated.plan.replace(placement=placement)),
            subdomain=None,
            active_deadline_seconds=job.failure.active_deadline_seconds,
        )
        if job.queue:
            # Kueue doesn't support ElasticJobs, but queues Pods of any controller.
            pod = with_metadata(pod, *pod_metadata(job, job.queue, job.replicas.initial))
        context = {
            **metadata(job, job.name),
            "endpoint": operated.endpoint,
            "bounds": {"minReplicas": low, "maxReplicas": high} if job.replicas.elastic else {},
            "run_policy": run_policy(job),
            "replicas": job.replicas.initial,
            "restart_policy": restart_policy(job.failure),
            "pod": pod,
        }
        yield Planned(
            kind="ElasticJob",
            template="elasticjob/elasticjob.yaml.j2",
            context=context,
            pods_at=(("spec", "replicaSpecs", "Worker", "template"),),
            patch=job.pod.patch,
            container=CONTAINER,
        )

    def services(self, job: Job) -> Iterator[Planned]:
        """Yield nothing: the operator creates a Service for each pod, with the pod's name."""
        return iter(())

    def leader(self) -> dict[str, str]:
        """Return the operator's labels of worker 0; all workers have one role."""
        return {TYPE_LABEL: "worker", INDEX_LABEL: "0"}

    def fact(self, fact: PodFact, job: Job, index: int | None) -> Fact:
        """Return the operator's label for the index, and the job's name for the run: pods don't learn the UID."""
        return field(f"metadata.labels['{INDEX_LABEL}']") if fact is PodFact.INDEX else job.name


BACKEND = ElasticJob
