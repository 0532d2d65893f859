"""Workers of mpirun while others are absent."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.status.absence import Absence, Consequence


def consequences(absence: Absence) -> Iterator[Consequence]:
    """Yield what mpirun does, which starts the processes of all workers and ends them with the first that is lost."""
    yield Consequence(message="running sshd, or programs that mpirun ends once it loses the connection to one")
