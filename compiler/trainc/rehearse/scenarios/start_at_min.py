"""An elastic job begins with its fewest pods.

Only as many pods find room as the job needs at least; the others stay pending. The launchers wait
`last_call_timeout`, 30 s by default, for more, and then must train with those that are there.
"""

from __future__ import annotations

import math

from trainc.rehearse.expectations import Expectations
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import steps


def skip_reason(job: Expectations) -> str:
    """A job of one size has no fewest pods."""
    return steps.shrinks(job)


def run(watch: Observer) -> None:
    """Hold the others back."""
    job = watch.job
    least = job.nodes[0]
    watch.start(delays=dict.fromkeys((one.pod.index for one in job.members[least:]), math.inf))
    steps.formed(watch, least, -1.0)
