"""Workers of a JAX job while others are absent."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.launchers.jax.traits import ABORTED, HEARTBEAT_TIMEOUT, INITIALIZATION_TIMEOUT
from trainc.plan.failures import duration
from trainc.status.absence import Absence, Consequence

_END = f"they abort with exit code {ABORTED}"


def consequences(absence: Absence) -> Iterator[Consequence]:
    """Yield that the programs wait for each other until the timeout of their call, here JAX's default, and abort."""
    if absence.launch.world == absence.launch.processes:
        return
    if not absence.was_complete:
        until = absence.started(INITIALIZATION_TIMEOUT)
        yield Consequence(message="waiting in jax.distributed.initialize", until=until, end=_END)
    elif absence.host:
        yield Consequence(message=f"aborting with exit code {ABORTED}: {absence.host} has the coordinator")
    else:
        message = f"aborting with exit code {ABORTED}, at the latest {duration(HEARTBEAT_TIMEOUT)} after the loss"
        yield Consequence(message=message)
