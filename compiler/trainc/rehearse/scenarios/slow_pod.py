"""Worker 0 starts late, as on a node that has to pull the image first.

The other workers start first and don't reach it. They must wait for it, or restart, and form the same world.
"""

from __future__ import annotations

from trainc.rehearse.expectations import Expectations
from trainc.rehearse.log_evidence import event_line
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import steps

_DELAY = 20.0  # seconds


def skip_reason(job: Expectations) -> str:
    """Apply to jobs with more than one communicating worker."""
    return steps.requires_peers(job)


def run(observer: Observer) -> None:
    """Delay the containers of worker 0."""
    index = observer.job.first.pod.index
    steps.form(observer, delays={index: _DELAY})
    names = observer.pod_names(index)
    started = [event for event in observer.events_of("container-started") if event.pod in names]
    observer.check(f"worker 0 starts after {_DELAY:.0f} s", bool(started), list(map(event_line, started[:1])))
    exits = observer.exits()
    if exits:
        observer.note(f"{len(exits)} containers exited while they waited, and were restarted")
