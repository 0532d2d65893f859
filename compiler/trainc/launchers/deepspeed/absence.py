"""Workers of a DeepSpeed job while others are absent."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.launchers.shared.collectives import waiting
from trainc.status.absence import Absence, Consequence


def consequences(absence: Absence) -> Iterator[Consequence]:
    """Yield that the programs wait for each other; over SSH only those that the deepspeed command has started."""
    if not absence.launch.uses_ssh:
        yield waiting(absence)
    elif absence.host:
        yield Consequence(message=f"running only sshd: {absence.host}, which starts the programs of all, is absent")
    else:
        yield Consequence(message="running sshd, or programs that the deepspeed command ends once one of them fails")
