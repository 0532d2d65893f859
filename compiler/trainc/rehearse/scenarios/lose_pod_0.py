"""Worker 0 is lost with its node.

With c10d, static, DeepSpeed and basic it is where all meet: the launchers of the others must end, and all meet again
when it is back. With etcd it is a worker like any other.
"""

from __future__ import annotations

from trainc.rehearse.expectations import Expectations
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import steps
from trainc.rehearse.scenarios.lose_pod import expect_recovery


def skip_reason(job: Expectations) -> str:
    """Without others nobody notices."""
    return steps.meets_others(job)


def run(watch: Observer) -> None:
    """Lose worker 0."""
    steps.form(watch)
    mark = watch.now
    watch.stage.kill_pod(watch.job.first.pod.index, grace=0)
    expect_recovery(
        watch, mark, [one.pod.index for one in watch.job.members[1 : watch.job.pods]], hosted=watch.job.hosted
    )
