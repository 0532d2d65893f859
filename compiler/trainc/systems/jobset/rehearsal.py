"""Controller of a JobSet: its Jobs, and what follows when one of them has failed.

https://github.com/kubernetes-sigs/jobset/tree/v0.12.0/pkg/controllers: failure_policy.go, success_policy.go
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from trainc.diagnostics.finding import Finding
from trainc.plan.fields import Object, items, listed, mapping, text
from trainc.plan.models import is_suspended
from trainc.rehearse.cluster import Cluster
from trainc.rehearse.container_size import ContainerSize
from trainc.rehearse.controllers import Controller
from trainc.systems.job.rehearsal import Job
from trainc.systems.jobset import facts, lifecycle
from trainc.systems.jobset.model import operator_output
from trainc.systems.jobset.model.child_jobs import child_jobs, job_name, replica_count


class ChildJob(Job):
    """Job whose end the JobSet evaluates."""

    is_owned = True


class JobSet(Controller):
    """Controller that recreates all Jobs, with new UIDs, when its failurePolicy restarts the set."""

    def __init__(self, manifest: Object, objects: list[Object], cluster: Cluster) -> None:
        super().__init__(manifest, objects, cluster)
        job_set = self.create_job_set()
        self.errors: Sequence[Finding] = operator_output(job_set, objects).faults
        self.suspended = is_suspended(manifest)
        self.job_set = {**job_set, "spec": {**mapping(job_set, "spec"), "suspend": False}}
        self.jobs: list[ChildJob] = []
        self.attempt = self.restarts = 0

    def create_job_set(self) -> Object:
        """Return the JobSet: the manifest itself."""
        return self.manifest

    @staticmethod
    def downscale(spec: Object, size: ContainerSize) -> None:
        """Limit the pods of each replicated job."""
        spec["replicatedJobs"] = [_limited(each, size) for each in items(spec, "replicatedJobs")]

    def reconcile(self) -> None:
        """Create the Jobs, let them create their pods, and evaluate those that have ended."""
        if self.stopped or self.finished or self.suspended:
            return
        if self.errors:
            self.finish("failed", "Invalid", "; ".join(each.message for each in self.errors))
            return
        if not self.jobs:
            # The Jobs are deleted in the foreground, and the new ones have their names: deleteJobs of
            # jobset_controller.go.
            if not all(pod.gone for pod in self.pods):
                return
            manifests = child_jobs(self.job_set, self.attempt)
            self.jobs = [ChildJob(each, self.objects, self.cluster) for each in manifests]
        for job in self.jobs:
            job.reconcile()
        self.pods = [pod for job in self.jobs for pod in job.pods]
        failed = next((job for job in self.jobs if job.finished == "failed"), None)
        if failed is not None:
            self._fail(failed)
        elif self._succeeded():
            self.finish("complete", "AllJobsCompleted")

    def _fail(self, failed: ChildJob) -> None:
        """executeFailurePolicy: restart all Jobs, or fail."""
        # The rule of the Job's podFailurePolicy that matched is part of its message.
        disrupted = any(pod.disrupted for pod in failed.pods if pod.phase == "Failed")
        message = facts.DISRUPTED if disrupted else failed.message
        replicated = text(failed.manifest, "metadata", "labels", facts.REPLICATED_JOB_LABEL)
        spec = mapping(self.job_set, "spec")
        reaction = lifecycle.reaction(spec, replicated, failed.reason, message, self.restarts)
        if reaction.effect == "job fails":
            self.finish("failed", failed.reason, failed.message)
            return
        self.restarts += reaction.counts
        self.attempt += 1
        for job in self.jobs:
            job.stop()
        self.jobs = []

    def _succeeded(self) -> bool:
        policy = mapping(self.job_set, "spec", "successPolicy")
        targets = listed(policy, "targetReplicatedJobs")
        names = {
            job_name(self.job_set, each, index)
            for each in items(self.job_set, "spec", "replicatedJobs")
            if not targets or text(each, "name") in targets
            for index in range(replica_count(each))
        }
        complete = [job.finished == "complete" for job in self.jobs if job.name in names]
        return any(complete) if text(policy, "operator") == "Any" else bool(complete) and all(complete)

    def finish(self, how: Literal["complete", "failed"], reason: str = "", message: str = "") -> None:
        """Delete the Jobs that haven't ended, and report how the JobSet has."""
        for job in self.jobs:
            if job.finished is None:
                job.stop()
        super().finish(how, reason, message)

    def scale(self, to: int) -> None:
        """Set the number of pods of the first Job, as a user may."""
        for job in self.jobs[:1]:
            job.scale(to)

    def resume(self) -> None:
        """Set `suspend: false`."""
        self.suspended = False

    def stop(self) -> None:
        """Delete the JobSet, its Jobs and their pods."""
        self.stopped = True
        for job in self.jobs:
            job.stop()


def _limited(replicated: Object, size: ContainerSize) -> Object:
    template, spec = mapping(replicated, "template"), dict(mapping(replicated, "template", "spec"))
    Job.downscale(spec, size)
    return {**replicated, "template": {**template, "spec": spec}}


CONTROLLER = JobSet
