"""A late pod joins an elastic job.

All pods but the last form a world. Then the last pod is scheduled: the launchers must restart all processes and form
the larger world.
"""

from __future__ import annotations

import math

from trainc.rehearse.expectations import Expectations
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import steps


def skip_reason(job: Expectations) -> str:
    """Apply to elastic jobs that start above their minimum."""
    return steps.requires_smaller_world(job)


def run(observer: Observer) -> None:
    """Schedule the last pod after the others have formed a world."""
    job = observer.job
    late = job.indexes(job.pods - 1)
    observer.start(delays=dict.fromkeys(late, math.inf))
    steps.expect_world(observer, job.pods - 1, -1.0)
    since = observer.now
    observer.session.schedule(late[0])
    steps.expect_world(observer, job.pods, since)
