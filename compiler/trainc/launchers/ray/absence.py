"""Workers of a Ray cluster while others are absent."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.status.absence import Absence, Consequence


def consequences(absence: Absence) -> Iterator[Consequence]:
    """Yield that all wait for worker 0, which runs the head and the program, or that the cluster is smaller."""
    if absence.host:
        end = "they exit"
        yield Consequence(message=f"waiting for {absence.host}, which runs the head and the program", end=end)
    elif absence.was_complete:
        yield Consequence(message="in a smaller Ray cluster: the program decides whether it goes on")
    else:
        yield Consequence(message="in the Ray cluster: the program starts once enough workers have joined")
