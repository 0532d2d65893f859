"""Timestamps of the API server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from trainc.plan.failures import duration
from trainc.plan.fields import Object, text


def timestamp(value: Any, *path: str | int) -> datetime | None:
    """Return the time at a path, or None if there is no valid time."""
    try:
        time = datetime.fromisoformat(text(value, *path))
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def after(time: datetime | None, seconds: float | None) -> datetime | None:
    """Return a time some seconds later; None if either is unknown."""
    try:
        return None if time is None or seconds is None else time + timedelta(seconds=seconds)
    except OverflowError:
        return None


def age(time: datetime, now: datetime) -> str:
    """Format how long ago a time was."""
    return duration(max(0, int((now - time).total_seconds())))


def clock(time: datetime, now: datetime) -> str:
    """Format a time of the same day as `11:32:40`, another one with its date; both in UTC."""
    return time.strftime("%H:%M:%S" if time.date() == now.date() else "%Y-%m-%d %H:%M:%S") + " UTC"


def newest(objects: Iterable[Object]) -> datetime | None:
    """Return the newest time at which something in the objects happened."""
    times = (time for each in objects for time in _times(each))
    return max(times, default=None)


def _times(value: Any) -> Iterator[datetime]:
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, dict):
            names = (key for key in each if str(key).endswith(("Time", "Timestamp", "At")))
            yield from (time for key in names if (time := timestamp(each, key)) is not None)
            pending += each.values()
        elif isinstance(each, list):
            pending += each
