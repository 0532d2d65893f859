"""Filters of a fleet: `gpus>64`, `fabric=none`, `owner!=vision`, `label.stage=prod`."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from fractions import Fraction

from trainc.fleet.job import NO_FABRIC, FleetJob
from trainc.record import Record

TEXTS = ("job", "namespace", "file", "system", "cluster", "fabric", "queue", "owner")
NUMBERS = ("pods", "gpus", "hours", "gpu-hours")
LABEL = "label."
NONE = "none"  # a missing text, and no limit of hours
_FORM = re.compile(r"(?P<field>[a-z-]+|label\.[^=!<> ]+) *(?P<operator>=|!=|>=|<=|>|<) *(?P<value>.*)", re.DOTALL)


class InvalidFilter(ValueError):
    """Filter that can't be read; the message says what is possible."""


class Filter(Record):
    """Comparison of a field; `value` is a pattern of a text, or a number, None for no limit."""

    field: str
    operator: str
    value: str | Fraction | None

    def accepts(self, job: FleetJob) -> bool:
        """Return whether a job satisfies the comparison. No limit is more than every number."""
        if not isinstance(self.value, str):
            return _compares(_number(job, self.field), self.operator, self.value)
        text, pattern = _text(job, self.field), self.value
        is_equal = text in ("", NO_FABRIC) if pattern == NONE else fnmatchcase(text, pattern)
        return is_equal == (self.operator == "=")


def parse_filter(text: str) -> Filter:
    """Return the filter of an option. Raises InvalidFilter."""
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise InvalidFilter(f"`{text}` is not a comparison such as gpus>64 or fabric=none")
    field, operator, value = match["field"], match["operator"], match["value"].strip()
    if field in NUMBERS:
        return Filter(field=field, operator=operator, value=_parse_number(field, value))
    if field not in TEXTS and not field.startswith(LABEL):
        known = ", ".join((*NUMBERS, *TEXTS))
        raise InvalidFilter(f"`{field}` is not a field: use {known} or label.NAME")
    if operator not in ("=", "!="):
        raise InvalidFilter(f"`{field}` is a text, which is compared by = or !=")
    return Filter(field=field, operator=operator, value=value)


def _parse_number(field: str, text: str) -> Fraction | None:
    if text == NONE and field in ("hours", "gpu-hours"):
        return None
    if not re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,6})?", text):
        more = " or none" if field in ("hours", "gpu-hours") else ""
        raise InvalidFilter(f"`{field}` is compared with a number{more}, not `{text}`")
    return Fraction(text)


def _number(job: FleetJob, field: str) -> Fraction | int | None:
    return {"pods": job.pods, "gpus": job.gpus, "hours": job.hours, "gpu-hours": job.gpu_hours}[field]


def _text(job: FleetJob, field: str) -> str:
    if field.startswith(LABEL):
        return job.labels.get(field.removeprefix(LABEL), "")
    text: str = job.name if field == "job" else getattr(job, field)
    return text


def _compares(own: Fraction | int | None, operator: str, other: Fraction | int | None) -> bool:
    left, right = (float("inf") if each is None else each for each in (own, other))
    results = {
        "=": left == right,
        "!=": left != right,
        ">": left > right,
        "<": left < right,
        ">=": left >= right,
        "<=": left <= right,
    }
    return results[operator]
