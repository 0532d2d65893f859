"""All scenarios by their names, in the order in which they are told of and run."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from trainc.record import Record
from trainc.rehearse.expectations import Promise
from trainc.rehearse.observer import Watch

NAMES = (
    "form",
    "start-at-min",
    "join",
    "lose-worker",
    "lose-pod",
    "lose-pod-0",
    "silent-loss",
    "dns-late",
    "slow-pod",
    "scale",
    "stop",
    "finish",
)
# What is run when nothing is asked for.
DEFAULT = ("form", "finish")


class Scenario(Record):
    """`shows` is what it shows in a line; `why_not` says why a job doesn't fit it, and is empty for one that fits.

    `act` runs it, and raises Over when there is nothing more to judge.
    """

    name: str
    shows: str
    why_not: Callable[[Promise], str]
    act: Callable[[Watch], None]


def scenario(name: str) -> Scenario:
    """The scenario of a name in NAMES."""
    module = import_module(f"trainc.rehearse.scenarios.{name.replace('-', '_')}")
    shows = (module.__doc__ or "").partition("\n")[0].rstrip(".")
    return Scenario(name=name, shows=shows[:1].lower() + shows[1:], why_not=module.why_not, act=module.act)
