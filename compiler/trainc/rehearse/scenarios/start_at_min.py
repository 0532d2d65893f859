"""An elastic job starts with its minimum number of pods.

Only the minimum number of pods is scheduled; the others stay pending. The launchers wait `last_call_timeout` (30 s by
default) for more pods, then must train with those they have.
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
    """Leave all pods above the minimum unschedulable."""
    minimum = observer.job.nodes[0]
    observer.start(delays=dict.fromkeys(observer.job.indexes(minimum), math.inf))
    steps.expect_world(observer, minimum, -1.0)
