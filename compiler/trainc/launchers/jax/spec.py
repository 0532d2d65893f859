"""`launch.jax`: a program that joins the others by jax.distributed.initialize."""

from __future__ import annotations

from trainc.launchers.jax.traits import TRAITS
from trainc.spec.launch import Launch
from trainc.spec.section import field, number


class Jax(Launch):
    """Options of the start. The first process is the program, or trainc's own script that starts it several times."""

    traits = TRAITS

    wraps_program: bool = False
    requested_processes: int = field(number, "nprocPerNode", default=1)
    port: int | None

    @property
    def needs_program(self) -> bool:
        """The script needs a program to start."""
        return self.requested_processes > 1


SECTION = Jax
