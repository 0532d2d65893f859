"""An elastic job is scaled by hand, down and up again.

`kubectl scale` of a StatefulSet, or the patch of a Job's completions and parallelism. Those that are left must form a
smaller world, and the larger one again when the pod is back.
"""

from __future__ import annotations

from trainc.rehearse.promise import Promise
from trainc.rehearse.scenarios import steps
from trainc.rehearse.watch import Watch


def why_not(job: Promise) -> str:
    """A job of one size can't be scaled while it runs."""
    return steps.shrinks(job)


def act(watch: Watch) -> None:
    """One down, one up."""
    job = watch.job
    steps.form(watch)
    mark = watch.now
    watch.stage.scale(job.pods - 1)
    steps.formed(watch, job.pods - 1, mark, extra=job.grace + 60)
    mark = watch.now
    watch.stage.scale(job.pods)
    steps.formed(watch, job.pods, mark, extra=60)
