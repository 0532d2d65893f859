"""Back end: a ToyJob."""

from __future__ import annotations

from collections.abc import Iterator

from tests.plugins.toysystem.traits import TRAITS
from trainc.emit.render import Planned
from trainc.ir.job import Job
from trainc.systems.shared.objects.base import Backend
from trainc.target import Target


class ToyJob(Backend):
    """Emits the shared objects and a ToyJob."""

    traits = TRAITS
    index_label = "toy.example.com/index"

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        """Yield the objects in the order in which they are written."""
        yield from self.shared(job)
        yield self.workers(job, ("spec", "template"), workers=job.replicas.initial, pod=self.pod(job))


BACKEND = ToyJob
