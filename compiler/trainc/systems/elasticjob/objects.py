"""elasticjob: an ElasticJob of the Torch Elastic operator, which makes pods and Services of it.

https://github.com/pytorch/elastic/tree/master/kubernetes
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.emit.render import Planned
from trainc.ir.env import PodFact
from trainc.ir.job import Job
from trainc.systems.elasticjob.resource_fields import CONTAINER, restart_policy, run_policy, told
from trainc.systems.shared.objects.base import Backend, Fact, field
from trainc.systems.shared.objects.labels import metadata
from trainc.target import Target

# pkg/apis/common/v1/constants.go of kubeflow/common 0b3a4c3fca85
TYPE_LABEL, INDEX_LABEL = "replica-type", "replica-index"


class ElasticJob(Backend):
    """Exactly as many workers as the job starts with, of which all must succeed: UpdateJobStatus of
    kubernetes/controllers/job.go."""

    name = "elasticjob"
    unsupported = {
        "spec.lifecycle.stopWhenDone": "an ElasticJob ends by itself",
        "spec.lifecycle.backoffLimitPerIndex": "the operator counts the restarts of all pods together",
        "spec.lifecycle.ttlSecondsAfterFinished": "at a job that fails its operator would end with a nil pointer",
        "spec.elastic.metrics": "an ElasticJob has no scale subresource that an autoscaler could change",
        "spec.elastic.behavior": "an ElasticJob has no scale subresource that an autoscaler could change",
        "spec.scheduling.topologySpreadConstraints": "its operator is built on Kubernetes 1.15, which has none",
    }
    own_labels = ("group-name", "job-name", TYPE_LABEL, INDEX_LABEL)
    pod_infix = "-worker"
    container = CONTAINER
    has_full_names = False
    kind = "ElasticJob"
    pods_of = "its operator is built on Kubernetes 1.15 and loses it"  # kubernetes/go.mod
    pod_schema = ("crds/elasticjob-elastic-v1alpha1.json", "spec", "replicaSpecs", "*", "template")

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
            from trainc.systems.shared.objects.kueue import marked, pod_marks

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
