"""Seconds as people say them."""

from __future__ import annotations

_UNITS = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))


def duration(seconds: int) -> str:
    """At most two units: `1 d`, `2 h 30 min`, `90 s`."""
    if 0 <= seconds < 120:
        return f"{seconds} s"
    parts = []
    for unit, length in _UNITS:
        many, seconds = divmod(seconds, length)
        if many:
            parts.append(f"{many} {unit}")
    return " ".join(parts[:2])
