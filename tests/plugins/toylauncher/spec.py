"""`launch.toyrun`."""

from __future__ import annotations

from tests.plugins.toylauncher.traits import TRAITS
from trainc.spec.launch import Launch


class Toyrun(Launch):
    """Options of toyrun."""

    traits = TRAITS

    slots: int | None
    verbose: bool = False

    @property
    def requested_processes(self) -> int | None:
        """Slots as the file has them."""
        return self.slots


SECTION = Toyrun
