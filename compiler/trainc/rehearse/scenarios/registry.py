"""Scenarios by name, in the order in which they are listed and run."""

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
DEFAULT = ("form", "finish")


class Scenario(Record):
    """`skip_reason` returns why the scenario doesn't apply to a job; empty if it applies.

    `run` runs it, and raises ScenarioAborted when the rest can't be judged.
    """

    name: str
    description: str
    skip_reason: Callable[[Expectations], str]
    run: Callable[[Observer], None]


def scenario(name: str) -> Scenario:
    """Load the scenario of a name in NAMES; its description is the first line of the module's docstring."""
    module = import_module(f"trainc.rehearse.scenarios.{name.replace('-', '_')}")
    line = (module.__doc__ or "").partition("\n")[0].rstrip(".")
    description = line[:1].lower() + line[1:]
    return Scenario(name=name, description=description, skip_reason=module.skip_reason, run=module.run)
