"""Back end of a system that trainc only reads: jobs are checked for it, and nothing is emitted."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.emit.render import Planned
from trainc.ir.job import Job
from trainc.systems.shared.objects.base import Backend
from trainc.systems.traits import Traits
from trainc.target import Target


class ReadOnly(Backend):
    """Emits no objects."""

    def __init__(self, traits: Traits) -> None:
        self.traits = traits

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        yield from ()
