"""Back end: a JobSet with one Indexed Job, which it makes anew, with all pods, when a worker is lost for good.

https://jobset.sigs.k8s.io/docs/concepts/ and https://jobset.sigs.k8s.io/docs/tasks/
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainc.emit.render import Planned
from trainc.ir.env import PodFact
from trainc.ir.job import Job
from trainc.systems.job.facts import INDEX_LABEL, RUN_LABEL
from trainc.systems.jobset.facts import DISRUPTED, WORKER
from trainc.systems.jobset.traits import TRAITS
from trainc.systems.shared.objects.base import Backend, Fact, label_field
from trainc.systems.shared.objects.job import disruption_rule, exit_code_rules
from trainc.systems.shared.objects.labels import queue_labels
from trainc.target import Target

_POLICY = "PodFailurePolicy"


class JobSet(Backend):
    """The workers of a job of fixed size restart together. Those of an elastic job are replaced one by one, as in a
    Job, while the others train on."""

    traits = TRAITS
    index_label = INDEX_LABEL

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        yield from self.shared(job)
        failure, restart_policy = job.failure, job.failure.restart_policy or "Never"
        restarts_set = failure.restarts_together
        # Kubernetes accepts rules about pods only with restartPolicy Never.
        rules = [disruption_rule("FailJob" if restarts_set else "Ignore"), *exit_code_rules(failure)]
        yield self.workers(
            job,
            ("spec", "replicatedJobs", 0, "template", "spec", "template"),
            more=({} if job.paused else queue_labels(job), {}),
            paused=job.paused,
            replicated_job=WORKER,
            completions=job.replicas.initial,
            failure=failure,
            backoff_limit=0 if restarts_set else failure.backoff_limit,
            failure_policy=_failure_policy(job) if restarts_set else None,
            failure_rules=rules if restart_policy == "Never" else [],
            ttl_seconds_after_finished=job.ttl_seconds_after_finished,
            leader_decides=job.leader_decides,
            pod=self.pod(job, restart_policy=restart_policy),
        )

    def fact(self, fact: PodFact, job: Job, index: int | None) -> Fact:
        """Return the Job controller's labels. Each restart makes a new Job, so the Job's uid is that of the attempt."""
        return label_field(INDEX_LABEL if fact is PodFact.INDEX else RUN_LABEL)


def _failure_policy(job: Job) -> dict[str, Any]:
    """Return what follows when the Job has failed: a restart, which counts unless a pod was drained or preempted.

    A Job reports the rule of its podFailurePolicy only in its message.
    https://jobset.sigs.k8s.io/docs/tasks/failure_policies/
    """
    failure = job.failure
    disruption: dict[str, Any] = {
        "name": "disruption",
        "action": "RestartJobSetAndIgnoreMaxRestarts",
        "onJobFailureReasons": [_POLICY],
    }
    rules = [disruption]
    if failure.fatal or failure.unless:
        disruption["onJobFailureMessagePatterns"] = [DISRUPTED]
        rules.append({"name": "fatalExitCode", "action": "FailJobSet", "onJobFailureReasons": [_POLICY]})
    if failure.active_deadline_seconds is not None:
        rules.append({"name": "deadline", "action": "FailJobSet", "onJobFailureReasons": ["DeadlineExceeded"]})
    return {"maxRestarts": failure.backoff_limit, "rules": rules}


BACKEND = JobSet
