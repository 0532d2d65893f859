"""Back ends by the names of their systems."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.emit.render import Planned
from trainc.ir.job import Job
from trainc.systems.registry import find
from trainc.systems.shared.objects.base import Backend
from trainc.systems.traits import Traits
from trainc.target import Target


def backend(name: str) -> Backend:
    """Return the back end of a system. Raises KeyError for an unknown name."""
    system = find(name)
    backend: Backend = system.part("objects").BACKEND() if "objects" in system.parts else _ReadOnly(system.traits)
    return backend


class _ReadOnly(Backend):
    """Emits no objects: jobs of a system that trainc only reads are checked for it."""

    def __init__(self, traits: Traits) -> None:
        self.traits = traits

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        yield from ()
