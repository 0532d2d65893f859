"""`launch.basic`: the program without a launcher."""

from __future__ import annotations

from trainc.launchers.basic.traits import TRAITS
from trainc.spec.launch import Launch
from trainc.spec.section import Section, field, number


class Arguments(Section):
    """Names of the arguments that pass the ranks; None if an argument is not passed."""

    world_size: str | None
    rank: str | None
    local_rank: str | None


class Basic(Launch):
    """Options of the start. The first process is the program, or trainc's own script that starts it several times."""

    traits = TRAITS

    wraps_program: bool = False
    requested_processes: int = field(number, "nprocPerNode", default=1)
    arguments: Arguments
    port: int | None

    @property
    def needs_program(self) -> bool:
        """The script needs a program to start."""
        return self.requested_processes > 1

    @property
    def appended_arguments(self) -> tuple[str, ...]:
        """The arguments that pass the ranks."""
        names = (self.arguments.world_size, self.arguments.rank, self.arguments.local_rank)
        return tuple(name for name in names if name)


SECTION = Basic
