"""The last pod is lost in a node failure.

The last pod is killed without notice. The other pods of an elastic job must continue in a smaller world until it is
replaced; the launchers of a fixed-size job exit and form the world again with the replacement. A bare Pod is not
replaced.
"""

from __future__ import annotations

from trainc.rehearse.expectations import Expectations
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import steps


def skip_reason(job: Expectations) -> str:
    """Apply to jobs with more than one communicating worker."""
    return steps.requires_peers(job)


def run(observer: Observer) -> None:
    """Kill the last pod without a grace period."""
    job = observer.job
    steps.form(observer)
    since = observer.now
    observer.session.kill_pod(steps.last_worker(job), grace=0)
    expect_recovery(observer, since, job.indexes(0, job.pods - 1))


def expect_recovery(observer: Observer, since: float, others: list[int], hosted_rendezvous: bool = False) -> None:
    """Expect the job to recover from the loss of a pod; `others` are the indexes of the remaining workers."""
    job = observer.job
    if hosted_rendezvous or (job.controller is None and not job.is_elastic):
        steps.expect_exits(observer, others, since, "all other launchers exit", extra=60)
    if job.controller is not None:
        steps.expect_world_again(observer, since)
        full_size = job.world_size(job.pods) or 0
        smaller = [world for world in observer.worlds.since(since) if world.complete and world.size < full_size]
        if smaller:
            size, at = smaller[0].size, smaller[0].completed_at
            observer.note(f"a world of {steps.ranks(size)} trained from {at:.1f} s on, until the pod was replaced")
    elif job.is_elastic and not hosted_rendezvous:
        steps.expect_world(observer, job.pods - 1, since)
    else:
        observer.note("bare Pods are not replaced: apply the job again")
