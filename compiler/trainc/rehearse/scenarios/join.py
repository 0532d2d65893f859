"""A pod of an elastic job comes later, and is taken in.

All but the last pod form a world. Then the last finds room: all processes must be started again, and meet as the
larger world.
"""

from __future__ import annotations

import math

from trainc.rehearse.expectations import Promise
from trainc.rehearse.observer import Watch
from trainc.rehearse.scenarios import steps


def why_not(job: Promise) -> str:
    """Nobody can join a job of one size."""
    return steps.shrinks(job)


def act(watch: Watch) -> None:
    """Hold the last one back, and let it come."""
    job = watch.job
    late = [one.pod.index for one in job.members[job.pods - 1 :]]
    watch.start(delays=dict.fromkeys(late, math.inf))
    steps.formed(watch, job.pods - 1, -1.0)
    mark = watch.now
    watch.stage.arrive(late[0])
    steps.formed(watch, job.pods, mark)
