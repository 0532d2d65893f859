"""Scenarios by name, in the order in which they are listed and run."""

from __future__ import annotations

from collections.abc import Callable
from inspect import getdoc

from trainc.record import Record
from trainc.rehearse.expectations import Expectations
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import end, loss, resize, start

DEFAULT = ("form", "finish")


class Scenario(Record):
    """`skip_reason` returns why the scenario doesn't apply to a job; empty if it applies.

    `run` runs it, and raises ScenarioAborted when the rest can't be judged.
    """

    name: str
    description: str
    skip_reason: Callable[[Expectations], str]
    run: Callable[[Observer], None]


def _scenario(run: Callable[[Observer], None], skip_reason: Callable[[Expectations], str] = lambda _: "") -> Scenario:
    """Return the scenario of a function; its description is the first line of the docstring."""
    line = (getdoc(run) or "").partition("\n")[0].rstrip(".")
    name, description = run.__name__.replace("_", "-"), line[:1].lower() + line[1:]
    return Scenario(name=name, description=description, skip_reason=skip_reason, run=run)


SCENARIOS = {
    scenario.name: scenario
    for scenario in (
        _scenario(start.form),
        _scenario(resize.start_at_min, resize.requires_smaller_world),
        _scenario(resize.join, resize.requires_smaller_world),
        _scenario(loss.kill_process),
        _scenario(loss.lose_pod, loss.requires_peers),
        _scenario(loss.lose_pod_0, loss.requires_peers),
        _scenario(loss.network_partition, loss.requires_peers),
        _scenario(start.slow_dns, loss.requires_peers),
        _scenario(start.slow_pod, loss.requires_peers),
        _scenario(resize.scale, resize.requires_other_size),
        _scenario(end.delete, end.requires_grace),
        _scenario(end.finish),
    )
}
