"""Durations for people."""

from __future__ import annotations

_UNITS = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))


def duration(seconds: int) -> str:
    """Format seconds in at most two units: `1 d`, `2 h 30 min`, `90 s`."""
    if 0 <= seconds < 120:
        return f"{seconds} s"
    parts = []
    for unit, length in _UNITS:
        count, seconds = divmod(seconds, length)
        if count:
            parts.append(f"{count} {unit}")
    return " ".join(parts[:2])
