"""Lines of evidence for a verdict: what proves an expectation, or what happened instead."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from trainc.rehearse.events import Event, PodState
from trainc.rehearse.probe_client import ProbeEvent
from trainc.rehearse.worlds import World

# A launcher's error messages. The frames of its tracebacks don't help a user.
_ERROR = re.compile(
    r"\b\w*(Error|Exception|Timeout)\b|refused|can't |not found|No such file|usage: |failed", re.IGNORECASE
)
_FRAME = re.compile(r"^\s|^Traceback|frame #|^  File |error_file|exitcode  :|Exception raised from|debug_logger")
_MAX_NAMES = 3
_MAX_WIDTH = 200
_RANK_FIELDS = {
    "world": "WORLD_SIZE",
    "local_rank": "LOCAL_RANK",
    "master": "MASTER_ADDR",
    "port": "MASTER_PORT",
    "restart": "restarts",
    "sum": "sum",
}


def rank_line(event: ProbeEvent) -> str:
    """Return a rank's environment and all-reduce result."""
    shown = {name: event.fields.get(field) for field, name in _RANK_FIELDS.items()}
    values = [f"{name}={value}" for name, value in shown.items() if value not in (None, "")]
    return " ".join([f"{event.at:.1f} s", event.fields.get("host", event.pod), f"RANK={event.rank}", *values])


def event_line(event: Event) -> str:
    """Return an event as one line."""
    fields = [f"{name}={value}" for name, value in event.data.items() if value or (name == "exit_code" and value == 0)]
    kind = event.kind if event.kind != "line" else ""
    words = (f"{event.at:.1f} s", event.pod, kind, " ".join(event.text.split()), *fields)
    return " ".join(filter(None, words))[:_MAX_WIDTH]


def last_error(events: Sequence[Event]) -> Event | None:
    """Return the last line of output that looks like an error message."""
    lines = (event for event in reversed(events) if event.kind == "line" and '{"probe"' not in event.text)
    return next((event for event in lines if _ERROR.search(event.text) and not _FRAME.search(event.text)), None)


def describe_worlds(worlds: Iterable[World]) -> list[str]:
    """Return a line for each world: its ranks, its pods and whether it is complete."""
    lines = []
    for world in worlds:
        ranks = ", ".join(str(rank) for rank in sorted(world.ranks)[:16])
        pods = ", ".join(world.ranks_by_pod())
        state = "" if world.complete else f" ({'a rank exists twice' if world.duplicates else 'incomplete'})"
        lines.append(f"{world.completed_at:.1f} s a world of {world.size}: rank {ranks} on {pods}{state}")
    return lines


def describe_pods(pods: Iterable[PodState], events: Sequence[Event]) -> list[str]:
    """Return the state and last error of each pod that isn't healthy; pods in the same state share a line."""
    names: dict[str, list[str]] = {}
    for pod in pods:
        words = [pod.phase]
        if pod.restarts:
            words.append(f"{pod.restarts} restarts")
        if pod.exit_code:
            words.append(f"exit code {pod.exit_code}")
        error = last_error([event for event in events if event.pod == pod.name])
        if error is not None:
            words.append(" ".join(error.text.split())[:_MAX_WIDTH])
        if pod.phase not in ("Running", "Succeeded") or error is not None or pod.restarts:
            names.setdefault(", ".join(words), []).append(pod.name)
    return [f"{_shorten(of_state)}: {state}" for state, of_state in names.items()]


def _shorten(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= _MAX_NAMES else f"{names[0]} and {len(names) - 1} more pods"
