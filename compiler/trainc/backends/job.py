"""job: an Indexed Job, which replaces failed pods and knows when it is done.

https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.backends.base import Backend, Fact, field, metadata
from trainc.emit.render import Planned
from trainc.ir.env import PodFact
from trainc.ir.job import Job
from trainc.target import Target

INDEX_LABEL = "batch.kubernetes.io/job-completion-index"
RUN_LABEL = "batch.kubernetes.io/controller-uid"
SUCCESS_POLICY = 31  # Kubernetes 1.31: on by default


class IndexedJob(Backend):
    """An elastic job has as many completions as workers at most, starts when its fewest run, and is done when
    worker 0 is: pods that found no room must not keep it from completing."""

    name = "job"
    unsupported = {
        "spec.elastic.metrics": "a Job has no scale subresource that an autoscaler could change",
        "spec.elastic.behavior": "a Job has no scale subresource that an autoscaler could change",
    }

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        """What is shared, then the Job."""
        yield from self.shared(job)
        context = {
            **metadata(job, job.name),
            "paused": job.paused,
            "completions": job.replicas.maximum,
            "failure": job.failure,
            "ttl_seconds_after_finished": job.ttl_seconds_after_finished,
            "leader_decides": job.leader_decides and target.minor >= SUCCESS_POLICY,
            "pod": self.pod(job, restart_policy=job.failure.restart_policy or "Never"),
        }
        yield Planned(
            kind="Job",
            template="job/job.yaml.j2",
            context=context,
            pod_at=("spec", "template"),
            patch=job.pod.patch,
        )

    def leader(self) -> dict[str, str]:
        """The Job controller labels pods with their index since Kubernetes 1.28."""
        return {INDEX_LABEL: "0"}

    def fact(self, fact: PodFact, job: Job, index: int | None) -> Fact:
        """From the labels that the Job controller gives its pods."""
        return field(f"metadata.labels['{INDEX_LABEL if fact is PodFact.INDEX else RUN_LABEL}']")
