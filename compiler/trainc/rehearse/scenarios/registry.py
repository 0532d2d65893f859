"""All scenarios by their names, in the order in which they are told of and run."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from trainc.record import Record
from trainc.rehearse.expectations import Expectations
from trainc.rehearse.observer import Observer

NAMES = (
    "form",
    "start-at-min",
    "join",
    "kill-process",
    "lose-pod",
    "lose-pod-0",
    "network-partition",
    "slow-dns",
    "slow-pod",
    "scale",
    "delete",
    "finish",
)
# What is run when nothing is asked for.
DEFAULT = ("form", "finish")


class Scenario(Record):
    """`description` is one line; `skip_reason` says why a job doesn't fit it, and is empty for one that fits.

    `act` runs it, and raises Over when there is nothing more to judge.
    """

    name: str
    description: str
    skip_reason: Callable[[Expectations], str]
    run: Callable[[Observer], None]


def scenario(name: str) -> Scenario:
    """The scenario of a name in NAMES."""
    module = import_module(f"trainc.rehearse.scenarios.{name.replace('-', '_')}")
    description = (module.__doc__ or "").partition("\n")[0].rstrip(".")
    return Scenario(
        name=name, description=description[:1].lower() + description[1:], skip_reason=module.skip_reason, run=module.run
    )
