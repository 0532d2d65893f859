"""Workers of the basic launcher while others are absent."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.launchers.shared.collectives import waiting
from trainc.status.absence import Absence, Consequence


def consequences(absence: Absence) -> Iterator[Consequence]:
    """Yield that the programs wait for each other."""
    if absence.launch.world != absence.launch.processes:
        yield waiting(absence)
