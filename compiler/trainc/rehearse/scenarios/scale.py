"""An elastic job is scaled down and up again.

`kubectl scale` of a StatefulSet, or a patch of a Job's completions and parallelism. One pod fewer must form a smaller
world, and the initial number of pods the initial world again; a job that starts with its minimum is scaled up first.
"""

from __future__ import annotations

from trainc.rehearse.expectations import Expectations
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import steps


def skip_reason(job: Expectations) -> str:
    """Apply to elastic jobs."""
    return "" if job.is_elastic and _other_size(job) != job.pods else steps.requires_smaller_world(job)


def run(observer: Observer) -> None:
    """Scale to another size and back."""
    job = observer.job
    steps.form(observer)
    for pods in (_other_size(job), job.pods):
        since = observer.now
        observer.session.scale(pods)
        steps.expect_world(observer, pods, since, extra=job.grace + 60)


def _other_size(job: Expectations) -> int:
    """Return one pod fewer, or one more if the job starts with its minimum; the same if neither is allowed."""
    if job.pods > job.nodes[0]:
        return job.pods - 1
    return min(job.pods + 1, len(job.workers), job.nodes[1])
