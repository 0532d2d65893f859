"""Scenarios of an elastic job that starts with fewer pods or is scaled."""

from __future__ import annotations

import math

from trainc.rehearse.expectations import Expectations
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import steps


def start_at_min(observer: Observer) -> None:
    """An elastic job starts with its minimum number of pods.

    Only the minimum number of pods is scheduled; the others stay pending. The launchers wait `last_call_timeout` (30 s
    by default) for more pods, then must train with those they have.
    """
    minimum = observer.job.nodes[0]
    observer.session.start(delays=dict.fromkeys(observer.job.indexes(minimum), math.inf))
    steps.expect_world(observer, minimum, -1.0)


def join(observer: Observer) -> None:
    """A late pod joins an elastic job.

    All pods but the last form a world. Then the last pod is scheduled: the launchers must restart all processes and
    form the larger world.
    """
    job = observer.job
    late = job.indexes(job.pods - 1)
    observer.session.start(delays=dict.fromkeys(late, math.inf))
    steps.expect_world(observer, job.pods - 1, -1.0)
    since = observer.now
    observer.session.schedule(late[0])
    steps.expect_world(observer, job.pods, since)


def scale(observer: Observer) -> None:
    """An elastic job is scaled down and up again.

    `kubectl scale`, or for a Job a patch of completions and parallelism, removes one pod and adds it again; a job that
    starts with its minimum is scaled up first. Each time the pods must form a world of the new size.
    """
    job = observer.job
    steps.form(observer)
    for pods in (_other_size(job), job.pods):
        since = observer.now
        observer.session.scale(pods)
        steps.expect_world(observer, pods, since, extra=job.grace + 60)


def requires_other_size(job: Expectations) -> str:
    """Return why `scale` doesn't apply; empty if it applies."""
    return "" if job.is_elastic and _other_size(job) != job.pods else requires_smaller_world(job)


def requires_smaller_world(job: Expectations) -> str:
    """Return why a scenario doesn't apply that continues with fewer pods; empty if it applies."""
    if not job.is_elastic:
        return "the job isn't elastic: it never continues with fewer pods"
    if job.pods <= job.nodes[0]:
        return "the job starts with its minimum of " + ("1 pod" if job.pods == 1 else f"{job.pods} pods")
    return ""


def _other_size(job: Expectations) -> int:
    """Return one pod fewer, or one more if the job starts with its minimum; the same if neither is allowed."""
    if job.pods > job.nodes[0]:
        return job.pods - 1
    return min(job.pods + 1, len(job.workers), job.nodes[1])
