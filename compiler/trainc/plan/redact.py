"""Redaction of a plan: plans end up in logs."""

from __future__ import annotations

from typing import Any

from trainc.plan.expand import OPEN
from trainc.plan.plan import Plan
from trainc.plan.world import Worker
from trainc.record import Record
from trainc.secrets.mask import Mask
from trainc.secrets.names import is_secret
from trainc.secrets.text import HIDDEN, redact, redact_args


def redact_value(name: str, value: str) -> str:
    """Redact a variable's value by its name, and secrets in it."""
    if value.startswith(OPEN):
        return value
    return HIDDEN if is_secret(name, value) else redact(value)


def redact_plan(plan: Plan) -> Plan:
    """Return the plan without secrets, also where another variable, an argument or a finding repeats one."""
    redactor = Redactor(plan.workers)
    redacted: Plan = redactor(plan)
    return redacted


class Redactor:
    """Copy of records, with the secrets of workers replaced in all their texts.

    Fields of these names in `kept` stay as they are: nobody prints them.
    """

    def __init__(self, workers: tuple[Worker, ...], kept: frozenset[str] = frozenset()) -> None:
        containers = {id(each): each for worker in workers for each in (worker.container, *worker.init_containers)}
        variables = {(each.name, each.value) for container in containers.values() for each in container.env}
        arguments = {tuple(container.argv) for container in containers.values()}
        self._mask = Mask([{"name": name, "value": value} for name, value in variables], list(arguments))
        self._kept = kept
        self._texts: dict[str, str] = {}
        self._copies: dict[int, Any] = {}

    def __call__(self, value: Any) -> Any:
        if isinstance(value, str):
            if value not in self._texts:
                self._texts[value] = self._mask(value)
            return self._texts[value]
        if not isinstance(value, Record | tuple | list | dict):
            return value
        if id(value) not in self._copies:
            self._copies[id(value)] = self._copy(value)
        return self._copies[id(value)]

    def _copy(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self(each) for name, each in value.items()}
        if isinstance(value, Record):
            fields = {name: value.__dict__[name] for name in value._fields}
            fields |= {name: self(each) for name, each in fields.items() if name not in self._kept}
            if {"name", "value"} <= fields.keys() and isinstance(fields["value"], str):
                fields["value"] = self(redact_value(value.__dict__["name"], value.__dict__["value"]))
            return type(value)(**fields)
        if all(isinstance(each, str) for each in value) and not hasattr(value, "_fields"):
            value = type(value)(redact_args(value))
        parts = [self(each) for each in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
