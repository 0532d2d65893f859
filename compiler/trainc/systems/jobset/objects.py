"""Back end: a JobSet with one Indexed Job, which it makes anew, with all pods, when a worker is lost for good.

https://jobset.sigs.k8s.io/docs/concepts/ and https://jobset.sigs.k8s.io/docs/tasks/
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.emit.render import Planned
from trainc.ir.env import PodFact
from trainc.ir.job import Job
from trainc.systems.job.traits import INDEX_LABEL, RUN_LABEL
from trainc.systems.jobset.facts import COORDINATOR_LABEL, EXCLUSIVE, JOB_INDEX_LABEL, REPLICAS_LABEL, WORKER
from trainc.systems.jobset.spec_fields import job_set_fields
from trainc.systems.jobset.traits import TRAITS
from trainc.systems.shared.objects.base import Backend, Fact, label_field
from trainc.systems.shared.objects.labels import queue_labels
from trainc.target import Target
from trainc.tpu import NODE_POOL_LABEL


class JobSet(Backend):
    """The workers of a job of fixed size restart together. Those of an elastic job are replaced one by one, as in a
    Job, while the others train on."""

    traits = TRAITS
    index_label = INDEX_LABEL
    run_label = RUN_LABEL  # each restart makes a new Job, with a uid of its own

    def fact(self, fact: PodFact, job: Job, index: int) -> Fact:
        label = {
            PodFact.SLICE: JOB_INDEX_LABEL,
            PodFact.SLICES: REPLICAS_LABEL,
            PodFact.COORDINATOR: COORDINATOR_LABEL,
        }.get(fact)
        return label_field(label) if label else super().fact(fact, job, index)

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        yield from self.shared(job)
        fields = job_set_fields(job, self.container)
        yield self.workers(
            job,
            ("spec", "replicatedJobs", 0, "template", "spec", "template"),
            more=({} if job.paused else queue_labels(job), _exclusive(job)),
            paused=job.paused,
            replicated_job=WORKER,
            replicas=job.slices,
            coordinator=job.slices > 1,
            job_labels={},
            completions=job.replicas.initial // job.slices,
            pod=self.pod(job, restartPolicy=fields["restart_policy"]),
            **fields,
        )


def _exclusive(job: Job) -> dict[str, str]:
    """Return the annotation by which each Job has a slice of TPUs for itself.

    https://jobset.sigs.k8s.io/docs/tasks/tpu_multislice/
    """
    return {EXCLUSIVE: NODE_POOL_LABEL} if job.slices > 1 else {}


BACKEND = JobSet
