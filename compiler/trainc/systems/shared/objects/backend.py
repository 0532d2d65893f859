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
    if "objects" not in system.parts:
        return _ReadOnly(system.traits)
    emitter: Backend = system.part("objects").BACKEND()
    return emitter


class _ReadOnly(Backend):
    """Back end of a system whose jobs trainc only reads and checks: it emits no objects."""

    def __init__(self, traits: Traits) -> None:
        self.traits = traits

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        yield from ()
