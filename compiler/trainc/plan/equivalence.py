"""Comparison of the plans of one job on several back ends: whether all start the same world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainc.plan.aspects import FAULTS, aspects, stated_variables
from trainc.plan.plan import Plan
from trainc.plan.redact import redact_value
from trainc.record import Record
from trainc.secrets.text import redact_args

# Aspects that differ because of the systems themselves, with the reasons, which hold for any system; docs/behavior.md
# says what each one does.
EXPECTED = {
    "launcher restarts": "a job that can be scaled has more restarts of torchrun: scaling down uses one up",
    "success": "a job succeeds with all workers, with worker 0, with any worker of an elastic job or with its launcher,"
    " as its controller decides; a bare pod reports only its own success, and a pod that always restarts none",
    "failure": "a controller counts failures by worker or all together, or only restarts, and replaces one pod or"
    " restarts all",
    "run id": "pods that learn the uid of a Job have a new id in each run or restart; elsewhere the id is the job's"
    " name, the same in every run",
    "pod names": "a Job adds random characters to the names of its pods",
    "worker names": "an operator names the workers by their role",
    "Services": "an operator creates one Service for all workers, or one for each pod with the pod's name, which may"
    " resolve only while the pod is ready; elsewhere one Service selects all workers and one worker 0, ready or not",
    "operator variables": "operators set their variables in every container, whether the program reads them or not",
    "SSH files": "operators provide SSH keys and a hostfile of their own, or lists of the workers' names",
    "operator init container": "an operator may make the workers wait until the name of worker 0 resolves",
}


class Difference(Record):
    """Aspect that is not the same on all back ends, with its value on each."""

    name: str
    values: tuple[tuple[str, Any], ...]

    @property
    def is_expected(self) -> bool:
        """Return whether the systems themselves make the difference."""
        return self.name in EXPECTED

    def describe(self, subject: str = "back ends ") -> str:
        """Format the difference as a sentence without secrets; `subject` precedes the names of the plans."""
        if self.is_expected:
            numbers = ", ".join(f"{name} {value}" for name, value in self.values if type(value) is int)
            return f"{self.name}{f' ({numbers})' if numbers else ''}: {EXPECTED[self.name]}"
        first_with: dict[str, str] = {}
        for name, value in self.values:
            first_with.setdefault(repr(value), name)
        values = dict(self.values)
        *names, last = (f"`{name}`" for name in first_with.values())
        shown = ", ".join(f"`{_format(value)}`" for value in _differing([values[name] for name in first_with.values()]))
        return f"{subject}{', '.join(names)} and {last} {FAULTS[self.name]}: {shown}"


def differences(plans: Mapping[str, Plan]) -> list[Difference]:
    """Compare the plans of one job by back end. A plan without pods, as of a paused job, is not compared."""
    plans = {name: plan for name, plan in plans.items() if plan.workers}
    stated = {variable.name for plan in plans.values() for variable in stated_variables(plan)}
    debugged = any(plan.workers[0].pod.is_debugged for plan in plans.values())
    by_backend = {name: aspects(plan, stated, debugged) for name, plan in plans.items()}
    differing = []
    for aspect in next(iter(by_backend.values()), {}):
        values = {name: values[aspect] for name, values in by_backend.items() if values[aspect] is not None}
        if len(set(map(repr, values.values()))) > 1:
            differing.append(Difference(name=aspect, values=tuple(values.items())))
    return differing


def _differing(values: list[Any]) -> list[Any]:
    """Return variables without those that are the same in all values, of the first worker that differs."""
    if all(isinstance(value, list) and value and isinstance(value[0], dict) for value in values):
        values = next(
            list(workers) for workers in zip(*values, strict=True) if any(each != workers[0] for each in workers)
        )
    if not isinstance(values[0], dict):
        return values
    names = [name for name in sorted(set().union(*values)) if len({value.get(name) for value in values}) > 1]
    return [{name: value.get(name) for name in names} for value in values]


def _format(value: Any) -> str:
    if isinstance(value, dict):
        entries = (
            (name, None if each is None else redact_value(name, str(each)) or '""') for name, each in value.items()
        )
        return ", ".join(f"no {name}" if each is None else f"{name}={each}" for name, each in entries)
    if isinstance(value, list | tuple):
        words = redact_args([each if isinstance(each, str) else _format(each) for each in value])
        return f"[{', '.join(words)}]"
    return str(value)
