"""job: an Indexed Job, which replaces failed pods and knows when it is done.

https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainc.emit.render import Planned
from trainc.ir.env import PodFact
from trainc.ir.job import Gang, Job
from trainc.systems.job.facts import GANG, INDEX_LABEL, RUN_LABEL, SUCCESS_POLICY
from trainc.systems.job.traits import TRAITS
from trainc.systems.shared.objects.base import Backend, Fact, field
from trainc.systems.shared.objects.kueue import job_marks, marked
from trainc.systems.shared.objects.labels import metadata
from trainc.target import Target
from trainc.well_known import MAIN


class IndexedJob(Backend):
    """An elastic job has as many completions as workers at most, starts when its fewest run, and is done when
    worker 0 is: pods that found no room must not keep it from completing."""

    traits = TRAITS

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        """What is shared, then the Job."""
        yield from self.shared(job)
        restart_policy = job.failure.restart_policy or "Never"
        context = {
            **metadata(job, job.name),
            "paused": job.paused,
            "completions": job.replicas.maximum,
            "failure": job.failure,
            "ttl_seconds_after_finished": job.ttl_seconds_after_finished,
            "gang": job.gang if job.gang and self.makes_gangs(job.gang) else None,
            "leader_decides": job.leader_decides and target.minor >= SUCCESS_POLICY,
            # Kubernetes takes failure rules only where a failed container fails its pod.
            "failure_rules": failure_rules(job) if restart_policy == "Never" else [],
            "pod": self.pod(job, restart_policy=restart_policy),
        }
        if job.queue:
            context = marked(context, *job_marks(job, job.queue))
        yield Planned(
            kind="Job",
            template="job/job.yaml.j2",
            context=context,
            pods_at=(("spec", "template"),),
            patch=job.pod.patch,
        )

    def leader(self) -> dict[str, str]:
        """The Job controller labels pods with their index since Kubernetes 1.28."""
        return {INDEX_LABEL: "0"}

    def makes_gangs(self, gang: Gang) -> bool:
        """Since Kubernetes 1.37 the Job controller makes its pods' group."""
        return gang.scheduler == "kubernetes" and gang.version >= GANG

    def fact(self, fact: PodFact, job: Job, index: int | None) -> Fact:
        """From the labels that the Job controller gives its pods."""
        return field(f"metadata.labels['{INDEX_LABEL if fact is PodFact.INDEX else RUN_LABEL}']")


def failure_rules(job: Job) -> list[dict[str, Any]]:
    """What a pod's failure means, first rule first.

    A pod that was drained, preempted or reclaimed has not failed and does not count against the backoff limit:
    https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions
    """
    # Up to Kubernetes 1.34 the condition's status must be given.
    disrupted = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
    rules: list[dict[str, Any]] = [disrupted]
    for operator, codes in (("In", job.failure.fatal), ("NotIn", job.failure.unless)):
        if codes:
            ended = {"containerName": MAIN, "operator": operator, "values": list(codes)}
            rules.append({"action": "FailJob", "onExitCodes": ended})
    return rules


BACKEND = IndexedJob
