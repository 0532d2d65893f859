"""Back end: a StatefulSet, which keeps its pods running, and an autoscaler for elastic jobs.

https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.emit.render import Planned
from trainc.ir.env import PodFact
from trainc.ir.job import Job
from trainc.systems.shared.objects.base import Backend, Fact, field
from trainc.systems.shared.objects.kueue import queue_labels, with_metadata
from trainc.systems.shared.objects.labels import metadata, selector
from trainc.systems.statefulset.facts import INDEX_LABEL
from trainc.systems.statefulset.self_termination import rights, wrap
from trainc.systems.statefulset.traits import TRAITS
from trainc.target import Target
from trainc.well_known import GROUP

INITIAL_ANNOTATION = f"{GROUP}/initial-replicas"


class StatefulSet(Backend):
    """All pods start at once. If there is an autoscaler, the manifest has no `replicas`."""

    traits = TRAITS

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        """Yield the shared objects, the StatefulSet and its autoscaler."""
        yield from self.shared(job)
        annotations, scaling = job.annotations, job.scaling
        if scaling and job.replicas.initial != job.replicas.minimum:
            # The autoscaler starts at its minimum; for a larger start, scale the set once to this number.
            annotations = {**annotations, INITIAL_ANNOTATION: str(job.replicas.initial)}
        pod = self.pod(job, subdomain=None)
        if job.ends_itself:
            yield from rights(job)
            pod = wrap(job, pod, self.fact(PodFact.INDEX, job, None))
        context = {
            **metadata(job, job.name),
            "annotations": annotations,
            # Required by the API, even without such a Service.
            "service_name": job.name,
            "replicas": 0 if job.paused else None if scaling else job.replicas.initial,
            "selector": selector(job),
            # The controller sets the subdomain to serviceName.
            "pod": pod,
        }
        if job.queue:
            context = with_metadata(context, queue_labels(job.queue), {})
        yield Planned(
            kind="StatefulSet",
            template="statefulset/statefulset.yaml.j2",
            context=context,
            pods_at=(("spec", "template"),),
            patch=job.pod.patch,
        )
        if scaling:
            context = {
                **metadata(job, job.name),
                "target": job.name,
                "minimum": job.replicas.minimum,
                "maximum": job.replicas.maximum,
                "scaling": scaling,
            }
            yield Planned(kind="HorizontalPodAutoscaler", template="statefulset/autoscaler.yaml.j2", context=context)

    def leader(self) -> dict[str, str]:
        """Return the StatefulSet controller's label of pod 0."""
        return {INDEX_LABEL: "0"}

    def fact(self, fact: PodFact, job: Job, index: int | None) -> Fact:
        """Return the controller's label for the index, and the job's name for the run: pods don't learn the UID."""
        return field(f"metadata.labels['{INDEX_LABEL}']") if fact is PodFact.INDEX else job.name


BACKEND = StatefulSet
