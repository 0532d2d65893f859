"""Excerpts of changed values."""

from __future__ import annotations

from trainc.diagnostics.cells import visible
from trainc.report.document import Change
from trainc.report.terminal import fit

_CONTEXT = 16  # characters before the first difference of two values


def excerpts(change: Change, width: int) -> tuple[str, str]:
    """Return the old and the new value, cut to a width around their first difference."""
    old, new = visible(change.old), visible(change.new)
    if old and new and max(len(old), len(new)) > width:
        common = next((at for at, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), 0)
        start = min(common - _CONTEXT, max(len(old), len(new)) - width + 1)
        if start > 0:
            old, new = (f"…{each[start + 1 :]}" for each in (old, new))
    return fit(old, width), fit(new, width)
