"""A pod of an elastic job comes later, and is taken in.

All but the last pod form a world. Then the last finds room: all processes must be started again, and meet as the
larger world.
"""

from __future__ import annotations

import math

from trainc.rehearse.expectations import Expectations
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import steps


def skip_reason(job: Expectations) -> str:
    """Nobody can join a job of one size."""
    return steps.shrinks(job)


def run(watch: Observer) -> None:
    """Hold the last one back, and let it come."""
    job = watch.job
    late = [one.pod.index for one in job.members[job.pods - 1 :]]
    watch.start(delays=dict.fromkeys(late, math.inf))
    steps.formed(watch, job.pods - 1, -1.0)
    mark = watch.now
    watch.stage.schedule(late[0])
    steps.formed(watch, job.pods, mark)
