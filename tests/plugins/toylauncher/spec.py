"""`launch.toyrun`."""

from __future__ import annotations

from tests.plugins.toylauncher.traits import TRAITS
from trainc.spec.launch import Launch
from trainc.spec.section import field, number


class Toyrun(Launch):
    """Options of toyrun."""

    traits = TRAITS

    requested_processes: int | None = field(number, "slots")
    verbose: bool = False


SECTION = Toyrun
