"""The lines of a rehearsal that prove something, or say why it didn't happen."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trainc.plan import redact as hide
from trainc.rehearse.events import Event
from trainc.rehearse.probe_events import ProbeEvent

if TYPE_CHECKING:
    from trainc.rehearse.observer import Observer

# What a launcher says when it can't go on; the frames of its tracebacks say nothing to a user.
_COMPLAINT = re.compile(
    r"\b\w*(Error|Exception|Timeout)\b|refused|can't |not found|No such file|usage: |failed", re.IGNORECASE
)
_FRAME = re.compile(r"^\s|^Traceback|frame #|^  File |error_file|exitcode  :|Exception raised from|debug_logger")
_MOST_NAMES = 3
_WIDEST = 200


def rank_line(one: ProbeEvent) -> str:
    """What a rank said of itself."""
    words = [f"{one.at:.1f} s", one.facts.get("host", one.pod), f"RANK={one.rank}"]
    for name, word in (
        ("world", "WORLD_SIZE"),
        ("local_rank", "LOCAL_RANK"),
        ("master", "MASTER_ADDR"),
        ("port", "MASTER_PORT"),
        ("restart", "restarts"),
        ("total", "sum"),
    ):
        value = one.facts.get(name)
        if value not in (None, ""):
            words.append(f"{word}={value}")
    return " ".join(map(str, words))


def event_line(event: Event) -> str:
    """An event in a line."""
    facts = [f"{name}={value}" for name, value in event.data.items() if value or (name == "exit_code" and value == 0)]
    words = (f"{event.at:.1f} s", event.pod, event.kind if event.kind != "line" else "", output(event), *facts)
    return " ".join(filter(None, words))[:_WIDEST]


def output(event: Event) -> str:
    """What was printed, without what looks like a secret: a verdict ends up in a log."""
    return " ".join(hide.redact_args(event.text.split()))


def complaint(events: list[Event]) -> Event | None:
    """The last line in which something complains."""
    for event in reversed(events):
        text = event.text
        if event.kind == "line" and '{"probe"' not in text and _COMPLAINT.search(text) and not _FRAME.search(text):
            return event
    return None


def instead(watch: Observer, since: float) -> list[str]:
    """What there was in place of what should be: worlds, pods, and the last complaint of each pod."""
    found = []
    for world in watch.worlds.since(since):
        ranks = ", ".join(str(rank) for rank in sorted(world.ranks)[:16])
        pods = ", ".join(world.pods())
        state = "" if world.complete else f" ({'a rank twice' if world.twice else 'not all of them'})"
        found.append(f"{world.at:.1f} s a world of {world.size}: rank {ranks} on {pods}{state}")
    if not found:
        ups = {one.pod for one in watch.said if one.what == "up" and one.at >= since}
        found.append(
            f"no world; processes were started on {', '.join(sorted(ups))}"
            if ups
            else "no world, and no process started"
        )
    alike: dict[str, list[str]] = {}
    for pod in watch.stage.pods:
        words = [pod.phase]
        if pod.restarts:
            words.append(f"{pod.restarts} restarts")
        if pod.exit_code:
            words.append(f"exit code {pod.exit_code}")
        last = complaint([one for one in watch.events if one.pod == pod.name])
        if last is not None:
            words.append(output(last)[:_WIDEST])
        if pod.phase not in ("Running", "Succeeded") or last is not None or pod.restarts:
            alike.setdefault(", ".join(words), []).append(pod.name)
    return found + [f"{_listed(names)}: {state}" for state, names in alike.items()]


def _listed(names: list[str]) -> str:
    """Names, or the first of many."""
    return ", ".join(names) if len(names) <= _MOST_NAMES else f"{names[0]} and {len(names) - 1} more pods"
