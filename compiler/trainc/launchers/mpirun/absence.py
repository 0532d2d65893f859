"""Workers of mpirun while others are absent."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.status.absence import Absence, Consequence


def consequences(absence: Absence) -> Iterator[Consequence]:
    """Yield the state of the other workers: mpirun ends all processes when it loses the connection to one."""
    if absence.host:
        yield Consequence(message=f"running only sshd: {absence.host}, which starts the programs of all, is absent")
        return
    yield Consequence(message="running sshd, or programs that mpirun ends once it loses the connection to one")
