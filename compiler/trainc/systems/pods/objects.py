"""Back end: one bare Pod per worker, with a literal rank. Deleted Pods are not replaced."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.emit.render import Planned
from trainc.ir.env import PodFact
from trainc.ir.job import Job
from trainc.systems.pods.traits import TRAITS
from trainc.systems.shared.objects.base import Backend, Fact
from trainc.systems.shared.objects.kueue import pod_metadata, with_metadata
from trainc.systems.shared.objects.labels import metadata, pod_annotations, pod_labels
from trainc.target import Target
from trainc.well_known import GROUP

INDEX_LABEL = f"{GROUP}/index"


class Pods(Backend):
    """An elastic job has all Pods of the maximum; those that can't be scheduled stay pending."""

    traits = TRAITS

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        """Yield the shared objects, then the Pods in the order of their ranks."""
        yield from self.shared(job)
        for index in range(0 if job.paused else job.replicas.maximum):
            name = f"{job.name}-{index}"
            labels = {**pod_labels(job), INDEX_LABEL: str(index)}
            pod = self.pod(
                job,
                index,
                hostname=name if job.headless_service else None,
                restart_policy=job.failure.restart_policy or "OnFailure",
                active_deadline_seconds=job.failure.active_deadline_seconds,
            )
            context = {**metadata(job, name), "labels": labels, "annotations": pod_annotations(job), "pod": pod}
            if job.queue:
                context = with_metadata(context, *pod_metadata(job, job.queue))
            yield Planned(kind="Pod", template="pods/pod.yaml.j2", context=context, pods_at=((),), patch=job.pod.patch)

    def leader(self) -> dict[str, str]:
        """Return trainc's own label."""
        return {INDEX_LABEL: "0"}

    def fact(self, fact: PodFact, job: Job, index: int | None) -> Fact:
        """Return literals."""
        return str(index) if fact is PodFact.INDEX else job.name


BACKEND = Pods
