"""What another system tells a training container of the other workers, for its command line to be compared with."""

from __future__ import annotations

from typing import Any

from trainc.record import Record
from trainc.span import Span

# Stands for a pod's own number in the value of a variable; no argument holds this character.
INDEX = "\ue000"


class World(Record):
    """Workers, and what the other system makes of them.

    `told` has what torchrun is told by variables, as fields of launch.torchrun, defaults of the other system
    included. `hosts` are the names of the first worker that the others are told of, `unsaid` those that it has, too;
    `variables` the values of environment variables that a
    command line may use, and `bridges` what those of the other system are with us, in terms of launch.torchrun's.
    With `starts_torchrun` the program is started by torchrun, or starts it, for sure. With `tells_torchrun` torchrun
    finds the other workers by variables of its own, which `told` speaks of. A WORLD_SIZE that is `multiplied` counts
    all processes, while RANK counts the workers.
    """

    low: int
    high: int
    elastic: bool
    gpus: int
    told: dict[str, Any]
    hosts: tuple[str, ...] = ()
    unsaid: tuple[str, ...] = ()
    port: int | None = None
    variables: dict[str, str] = {}
    bridges: dict[str, str] = {}
    starts_torchrun: bool = False
    host_network: bool = False
    tells_torchrun: bool = True
    multiplied: bool = False
    span: Span | None = None

    @property
    def told_master(self) -> bool:
        """Whether the other system sets MASTER_ADDR and its like."""
        return "MASTER_ADDR" in self.variables
