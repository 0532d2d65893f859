"""Back end: an Indexed Job, which replaces failed pods and completes.

https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.emit.render import Planned
from trainc.ir.job import Gang, Job
from trainc.systems.job.traits import GANG, INDEX_LABEL, RUN_LABEL, SUCCESS_POLICY, TRAITS
from trainc.systems.shared.objects.base import Backend
from trainc.systems.shared.objects.job import disruption_rule, exit_code_rules
from trainc.systems.shared.objects.labels import Metadata, queue_labels
from trainc.target import Target
from trainc.well_known import MINIMUM_ANNOTATION


class IndexedJob(Backend):
    """An elastic job trains with at least the minimum of its workers, and completes with worker 0: pods that are not
    scheduled must not delay it."""

    traits = TRAITS
    index_label = INDEX_LABEL  # since Kubernetes 1.28
    run_label = RUN_LABEL
    gang_schedulers = ("kubernetes",)

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        yield from self.shared(job)
        failure, restart_policy = job.failure, job.failure.restart_policy or "Never"
        # A pod that was drained, preempted or reclaimed doesn't count against the backoff limit.
        rules = [disruption_rule("Ignore"), *exit_code_rules(failure)]
        yield self.workers(
            job,
            ("spec", "template"),
            more=_queue_metadata(job),
            paused=job.paused,
            completions=job.replicas.initial,
            failure=failure,
            backoff_limit=failure.backoff_limit,
            ttl_seconds_after_finished=job.ttl_seconds_after_finished,
            gang=self.own_gang(job),
            leader_decides=job.leader_decides and target.minor >= SUCCESS_POLICY,
            # Kubernetes accepts failure rules only with restartPolicy Never.
            failure_rules=rules if restart_policy == "Never" else [],
            pod=self.pod(job, restartPolicy=restart_policy),
        )

    def own_gang(self, job: Job) -> Gang | None:
        """Return Kubernetes' own gang, whose group the Job controller creates since Kubernetes 1.37."""
        return super().own_gang(job) if job.gang and job.gang.version >= GANG else None


def _queue_metadata(job: Job) -> Metadata:
    """Return Kueue's labels and annotations.

    It may admit an elastic Job with fewer workers; its completions must follow, or the Job would run the remaining
    indexes after the training has ended: https://kueue.sigs.k8s.io/docs/tasks/run/jobs/#partial-admission
    It rejects a minimum that isn't below the number of pods: validatePartialAdmissionCreate of
    pkg/controller/jobs/job/job_webhook.go in kubernetes-sigs/kueue.
    """
    if job.paused:
        return {}, {}  # Kueue resumes every queued Job, a suspended one too, as soon as there is quota
    annotations = {}
    if job.queue and job.replicas.minimum < job.replicas.initial:
        annotations[MINIMUM_ANNOTATION] = str(job.replicas.minimum)
        annotations["kueue.x-k8s.io/job-completions-equal-parallelism"] = "true"
    return queue_labels(job), annotations


BACKEND = IndexedJob
