"""An elastic job is scaled by hand, and back again.

`kubectl scale` of a StatefulSet, or the patch of a Job's completions and parallelism. One pod
fewer must form a smaller world, and the larger one again when it is back; a job that starts with its fewest gets one
more first.
"""

from __future__ import annotations

from trainc.rehearse.expectations import Expectations
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import steps


def skip_reason(job: Expectations) -> str:
    """A job of one size can't be scaled while it runs."""
    return "" if job.elastic and _other(job) != job.pods else steps.shrinks(job)


def run(watch: Observer) -> None:
    """To another size, and back."""
    job = watch.job
    steps.form(watch)
    for pods in (_other(job), job.pods):
        mark = watch.now
        watch.stage.scale(pods)
        steps.formed(watch, pods, mark, extra=job.grace + 60)


def _other(job: Expectations) -> int:
    """One pod fewer, or one more where it starts with its fewest; the same where it may have neither."""
    if job.pods > job.nodes[0]:
        return job.pods - 1
    return min(job.pods + 1, len(job.members), job.nodes[1])
