"""`launch.basic`: the program without a launcher."""

from __future__ import annotations

from trainc.launchers.basic.traits import TRAITS
from trainc.source.node import Mapping
from trainc.spec.launch import Launch
from trainc.spec.section import argument, field, number, text_or_false


def _processes(node: Mapping, _: str) -> int:
    return number(node, "nprocPerNode") or 1


class Basic(Launch):
    """Options of the start; an argument's name is None when it is turned off.

    The first process is the program, or trainc's own script that starts it several times.
    """

    traits = TRAITS

    wraps_program: bool = False
    requested_processes: int = field(_processes, "nprocPerNode")
    world_size_argument: str | None = argument("--world_size")
    rank_argument: str | None = argument("--rank")
    local_rank_argument: str | None = field(
        lambda node, name: text_or_false(node, name, "--local_rank" if _processes(node, "") > 1 else None)
    )
    port: int | None

    @property
    def needs_program(self) -> bool:
        """The script needs a program to start."""
        return self.requested_processes > 1

    @property
    def appended_arguments(self) -> tuple[str, ...]:
        """World size and rank, unless they are turned off."""
        return tuple(name for name in (self.world_size_argument, self.rank_argument) if name)


SECTION = Basic
