"""Worker 0 starts late, as on a node that must pull the image first.

The others are there first and find nobody. They must wait for it, or be started again, and form the same world.
"""

from __future__ import annotations

from trainc.rehearse.expectations import Expectations
from trainc.rehearse.log_evidence import event_line
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import steps

_SECONDS = 20.0


def skip_reason(job: Expectations) -> str:
    """Who meets nobody waits for nobody."""
    return steps.meets_others(job)


def run(watch: Observer) -> None:
    """Start worker 0 late."""
    first = watch.job.first.pod.index
    steps.form(watch, delays={first: _SECONDS})
    started = [one for one in watch.happened("container-started") if one.pod in watch.named(first)]
    exits = [one for one in watch.happened("container-exited") if not one.data.get("init")]
    watch.check("worker 0 was late", bool(started), [event_line(one) for one in started[:1]])
    if exits:
        watch.note(f"{len(exits)} containers ended while they waited, and were started again")
