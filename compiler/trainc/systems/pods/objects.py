"""Back end: one bare Pod per worker, with a literal rank. Deleted Pods are not replaced."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.emit.render import Planned
from trainc.ir.env import PodFact
from trainc.ir.job import Job
from trainc.systems.pods.traits import TRAITS
from trainc.systems.shared.objects.base import Backend, Fact
from trainc.systems.shared.objects.labels import added_words, metadata, pod_annotations, pod_group, pod_labels
from trainc.target import Target
from trainc.well_known import GROUP


class Pods(Backend):
    """An elastic job trains with at least the minimum of its Pods; those that can't be scheduled stay pending."""

    traits = TRAITS
    index_label = f"{GROUP}/index"

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        """Yield the shared objects, then the Pods in the order of their ranks."""
        yield from self.shared(job)
        group_labels, group_annotations = pod_group(job, job.replicas.initial)
        for index in range(0 if job.paused else job.replicas.initial):
            name = f"{job.name}-{index}"
            context = {
                **metadata(job, name),
                "labels": {**pod_labels(job), self.index_label: str(index), **group_labels},
                "annotations": {**pod_annotations(job), **group_annotations, **added_words(job)},
                "pod": self.pod(
                    job,
                    index,
                    hostname=name if job.headless_service else None,
                    restartPolicy=job.failure.restart_policy or "OnFailure",
                    activeDeadlineSeconds=job.failure.active_deadline_seconds,
                ),
            }
            yield Planned(kind="Pod", template="pods/pod.yaml.j2", context=context, pods_at=((),), patch=job.pod.patch)

    def fact(self, fact: PodFact, job: Job, index: int) -> Fact:
        """Return literals."""
        return str(index) if fact is PodFact.INDEX else job.name


BACKEND = Pods
