"""Workers of a JAX job while others are absent."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.launchers.jax.variables import ABORTED, HEARTBEAT_TIMEOUT, INITIALIZATION_TIMEOUT
from trainc.plan.failures import duration
from trainc.status.absence import Absence, Consequence


def consequences(absence: Absence) -> Iterator[Consequence]:
    """Yield that the programs wait for each other, and abort when the timeout of their call is over."""
    if absence.launch.world == absence.launch.processes:
        return
    what, seconds = "waiting in jax.distributed.initialize", INITIALIZATION_TIMEOUT
    if absence.was_complete:
        what, seconds = "hanging in their next collective", HEARTBEAT_TIMEOUT
    message = f"{what}, and abort with exit code {ABORTED} after {duration(seconds)}, unless the program sets another"
    yield Consequence(message=message)
