"""Back end: a ToyJob."""

from __future__ import annotations

from collections.abc import Iterator

from tests.plugins.toysystem.traits import CONTAINER, TRAITS
from trainc.emit.render import Planned
from trainc.ir.env import PodFact
from trainc.ir.job import Job
from trainc.systems.shared.objects.base import Backend, Fact, field
from trainc.systems.shared.objects.labels import metadata
from trainc.target import Target

INDEX_LABEL = "toy.example.com/index"


class ToyJob(Backend):
    """Emits the shared objects and a ToyJob."""

    traits = TRAITS

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        """Yield the objects in the order in which they are written."""
        yield from self.shared(job)
        yield Planned(
            kind="ToyJob",
            template="toyjob/toyjob.yaml.j2",
            context={**metadata(job, job.name), "workers": job.replicas.initial, "pod": self.pod(job)},
            pods_at=(("spec", "template"),),
            patch=job.pod.patch,
            container=CONTAINER,
        )

    def leader(self) -> dict[str, str]:
        """Return the label of worker 0."""
        return {INDEX_LABEL: "0"}

    def fact(self, fact: PodFact, job: Job, index: int | None) -> Fact:
        """Return a label for the index, and the job's name for the run."""
        return field(f"metadata.labels['{INDEX_LABEL}']") if fact is PodFact.INDEX else job.name


BACKEND = ToyJob
