"""elasticjob: an ElasticJob of the Torch Elastic operator, which makes pods and Services of it.

https://github.com/pytorch/elastic/tree/master/kubernetes
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.emit.render import Planned
from trainc.ir.env import PodFact
from trainc.ir.job import Job
from trainc.systems.elasticjob.facts import CONTAINER, INDEX_LABEL, TYPE_LABEL
from trainc.systems.elasticjob.resource_fields import restart_policy, run_policy, told
from trainc.systems.elasticjob.traits import TRAITS
from trainc.systems.shared.objects.base import Backend, Fact, field
from trainc.systems.shared.objects.kueue import marked, pod_marks
from trainc.systems.shared.objects.labels import metadata
from trainc.target import Target


class ElasticJob(Backend):
    """Exactly as many workers as the job starts with, of which all must succeed: UpdateJobStatus of
    kubernetes/controllers/job.go."""

    traits = TRAITS

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        """What is shared, then the ElasticJob; none of a paused job, for one without workers is done at once."""
        yield from self.shared(job)
        if job.paused:
            return
        found, low, high = told(job), job.replicas.minimum, job.replicas.maximum
        placement = job.pod.placement.replace(topology_spread_constraints=None)
        pod = self.pod(
            job.replace(pod=found.plan.replace(placement=placement)),
            subdomain=None,
            active_deadline_seconds=job.failure.active_deadline_seconds,
        )
        if job.queue:
            # Kueue knows no ElasticJobs, and Pods whoever makes them.
            pod = marked(pod, *pod_marks(job, job.queue, job.replicas.initial))
        context = {
            **metadata(job, job.name),
            "endpoint": found.endpoint,
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
        """The operator makes one for each pod, of the pod's name."""
        return iter(())

    def leader(self) -> dict[str, str]:
        """All workers are alike to the operator, and numbered."""
        return {TYPE_LABEL: "worker", INDEX_LABEL: "0"}

    def fact(self, fact: PodFact, job: Job, index: int | None) -> Fact:
        """The index from the operator's label; the operator tells pods nothing of the job's UID."""
        return field(f"metadata.labels['{INDEX_LABEL}']") if fact is PodFact.INDEX else job.name


BACKEND = ElasticJob
