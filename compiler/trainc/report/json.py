"""Records as JSON for programs."""

from __future__ import annotations

import json
from datetime import datetime
from fractions import Fraction
from typing import Any

from trainc.record import Record


def to_json(values: list[Any] | dict[str, Any]) -> str:
    """Format values as JSON: records as objects whose keys are their fields, amounts as numbers."""
    return json.dumps(values, indent=2, ensure_ascii=False, default=_plain) + "\n"


def fields(record: object, *names: str) -> dict[str, Any]:
    """Return fields or properties of a record by their names in JSON; with `?` after the name, an empty one is null."""
    values = ((name.rstrip("?"), name.endswith("?")) for name in names)
    return {
        _key(name): getattr(record, name) or None if optional else getattr(record, name) for name, optional in values
    }


def iso(time: datetime) -> str:
    """Return a time as Kubernetes writes it, in whole seconds."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def _plain(value: Any) -> Any:
    match value:
        case Record():
            return fields(value, *value._fields)
        case Fraction():
            return int(value) if value.denominator == 1 else float(value)
        case datetime():
            return iso(value)
        case _:
            raise TypeError(f"{type(value).__name__} has no form in JSON")


def _key(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))
