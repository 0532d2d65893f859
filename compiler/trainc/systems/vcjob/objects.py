"""Back end: a Job of Volcano with one task, whose pods start together, and restart together or one by one.

https://github.com/volcano-sh/volcano/tree/v1.15.1
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.emit.render import Planned
from trainc.ir.env import PodFact
from trainc.ir.job import Failure, Job
from trainc.systems.shared.fields import written
from trainc.systems.shared.objects.base import Backend, Fact, field
from trainc.systems.vcjob import facts
from trainc.systems.vcjob.fields import FIELDS
from trainc.systems.vcjob.traits import TRAITS
from trainc.target import Target
from trainc.typenames import Any


class VolcanoJob(Backend):
    """The gang starts with the minimum of an elastic job; Volcano schedules its other pods when nodes are free."""

    traits = TRAITS
    index_label = facts.INDEX_LABEL
    gang_schedulers = ("volcano",)

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        """Yield the shared objects and the Job. A Job cannot be suspended by a field."""
        yield from self.shared(job)
        if job.paused:
            return
        place = job.pod.placement.replace(priority_class_name=None, scheduler_name=None)
        yield self.workers(
            job,
            ("spec", "tasks", 0, "template"),
            spec=_job_fields(job),
            policies=_policies(job),
            replicas=job.replicas.initial,
            task_retries=_task_retries(job.failure),
            pod=self.pod(
                job.replace(pod=job.pod.replace(placement=place)),
                restartPolicy=job.failure.restart_policy or "Never",
            ),
        )

    def fact(self, fact: PodFact, job: Job, index: int) -> Fact:
        """Return the index from the controller's label, the run from the group's name, which has the Job's uid."""
        if fact is PodFact.RUN:
            return field(f"metadata.annotations['{facts.GROUP_ANNOTATION}']")
        return super().fact(fact, job, index)


def _job_fields(job: Job) -> dict[str, Any]:
    """Return the fields of the spec before the policies and the task.

    The Service of a job with several workers resolves the names of pods that are not ready yet, as the rendezvous
    requires; without a NetworkPolicy other pods, like those of Prometheus, reach the workers as on other systems.
    """
    service = [f"--{facts.PUBLISH}=true", f"--{facts.NO_POLICY}=true"]
    plugins = {"env": [], **({"svc": service} if job.headless_service else {})}
    return {**written(FIELDS, job)["spec"], "plugins": plugins}


def _task_retries(failure: Failure) -> int:
    """Return the restarts of containers after which the task has failed: TaskFailed of pkg/controllers/cache/cache.go.

    Without restarts in place it is the webhook's default, mutateSpec of
    pkg/webhooks/admission/jobs/mutate/mutate_job.go: a manifest without it can't be applied again,
    https://github.com/volcano-sh/volcano/issues/2238
    """
    return max(failure.backoff_limit or 0, 1) if failure.restart_policy == "OnFailure" else facts.MAX_RETRY


def _policies(job: Job) -> list[dict[str, Any]]:
    """Return the policies: exit codes that end the Job, then restarts of all workers, or of one of an elastic job.

    The first that matches an event of a pod, or its exit code, has the action: applyPolicies of
    pkg/controllers/job/job_controller_util.go.
    """
    failure = job.failure
    restart = "RestartPod" if job.replicas.elastic else "RestartJob"
    rules: list[dict[str, Any]] = [{"exitCode": code, "action": "TerminateJob"} for code in failure.fatal]
    if failure.unless:
        rules += [{"exitCode": code, "action": restart} for code in failure.unless if code not in failure.fatal]
        rules.append({"event": "PodEvicted", "action": restart})
        rules.append({"event": "PodFailed", "action": "TerminateJob"})
    else:
        rules.append({"events": ["PodFailed", "PodEvicted"], "action": restart})
    if failure.restart_policy == "OnFailure":
        rules.append({"event": "TaskFailed", "action": "TerminateJob"})
    return rules


BACKEND = VolcanoJob
