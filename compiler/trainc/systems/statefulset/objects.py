"""statefulset: a StatefulSet, which keeps its pods running, and an autoscaler for elastic jobs.

https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.emit.render import Planned
from trainc.ir.env import PodFact
from trainc.ir.job import Job
from trainc.systems.shared.objects.base import Backend, Fact, field
from trainc.systems.shared.objects.kueue import marked, set_marks
from trainc.systems.shared.objects.labels import metadata, selector
from trainc.systems.statefulset.facts import INDEX_LABEL
from trainc.systems.statefulset.self_termination import rights, wrap
from trainc.systems.statefulset.traits import TRAITS
from trainc.target import Target
from trainc.well_known import GROUP

INITIAL_ANNOTATION = f"{GROUP}/initial-replicas"


class StatefulSet(Backend):
    """All pods start at once. With an autoscaler the manifest leaves the number of replicas to it."""

    traits = TRAITS

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        """What is shared, the StatefulSet, its autoscaler."""
        yield from self.shared(job)
        marks, scaling = job.annotations, job.scaling
        if scaling and job.replicas.initial != job.replicas.minimum:
            # The autoscaler starts at its minimum; whoever wants to start higher scales the set once by this.
            marks = {**marks, INITIAL_ANNOTATION: str(job.replicas.initial)}
        pod = self.pod(job, subdomain=None)
        if job.ends_itself:
            yield from rights(job)
            pod = wrap(job, pod, self.fact(PodFact.INDEX, job, None))
        context = {
            **metadata(job, job.name),
            "annotations": marks,
            # The API demands a name even where no Service of it is needed.
            "service_name": job.name,
            "replicas": 0 if job.paused else None if scaling else job.replicas.initial,
            "selector": selector(job),
            # serviceName makes the subdomain.
            "pod": pod,
        }
        if job.queue:
            context = marked(context, *set_marks(job.queue))
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
        """The StatefulSet controller labels every pod with its name."""
        return {INDEX_LABEL: "0"}

    def fact(self, fact: PodFact, job: Job, index: int | None) -> Fact:
        """The index from the controller's label. A StatefulSet's pods learn nothing of its UID."""
        return field(f"metadata.labels['{INDEX_LABEL}']") if fact is PodFact.INDEX else job.name


BACKEND = StatefulSet
