"""torchrun on the running workers while others are absent.

Timeouts are those of https://github.com/pytorch/pytorch/tree/v2.15.0/torch/distributed/elastic/rendezvous;
docs/behavior.md lists what was observed.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.launchers.shared.timeouts import COLLECTIVE_TIMEOUTS
from trainc.plan.failures import duration
from trainc.plan.quantity import plural
from trainc.status.absence import Absence, Consequence

_EXITS = "torchrun exits with 1"
_EXIT = "exiting as they notice the loss, to rendezvous with the replacement"
_HANG = f"hanging in a collective until its timeout, {COLLECTIVE_TIMEOUTS}"


def consequences(absence: Absence) -> Iterator[Consequence]:
    """Yield what the running workers do: train without the others, wait for them, or notice their loss."""
    launch, count = absence.launch, len(absence.running)
    if launch.nodes is None or launch.rendezvous == "unknown":
        return
    if absence.is_silent and absence.was_complete:
        reason = "the node of a worker vanished silently"
        yield Consequence(message=_HANG, end="they rendezvous without it, or exit", reason=reason)
    elif absence.host and launch.rendezvous == "peer" and absence.was_complete:
        yield Consequence(
            message=f"exiting: {absence.host} hosts the rendezvous; they rendezvous again once it is back"
        )
    elif absence.host and launch.rendezvous != "external":
        until = absence.started(launch.store_timeout)
        message = f"waiting for {absence.host}"
        yield Consequence(message=message, until=until, end=_EXITS, reason="it hosts the rendezvous")
    elif count >= launch.nodes[0]:
        yield from _smaller_world(absence, min(count, launch.nodes[1]))
    elif absence.was_complete:
        restart = "restarting their processes as they notice the loss, and waiting"
        restart = f"{restart} {duration(launch.join_timeout)} for the replacement"
        yield Consequence(message=restart if launch.restarts and launch.rendezvous != "static" else _EXIT)
    else:
        verb = "runs" if count == 1 else "run"
        reason = f"{launch.nodes[0]} nodes are required, {count} of them {verb}"
        until = absence.started(launch.join_timeout)
        yield Consequence(message="waiting in the rendezvous", until=until, end=_EXITS, reason=reason)


def _smaller_world(absence: Absence, nodes: int) -> Iterator[Consequence]:
    launch = absence.launch
    world = f", world size {nodes * launch.processes}" if launch.processes else ""
    cost = "; each change of the world restarts their processes" if absence.was_complete else ""
    yield Consequence(message=f"training in a world of {plural(nodes, 'node')}{world}{cost}")
