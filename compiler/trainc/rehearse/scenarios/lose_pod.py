"""A pod is lost with its node.

The last pod dies without warning. Those of an elastic job must go on in a smaller world until it is back; those of a
fixed job end and meet again with the pod that replaces it. A bare Pod is not replaced.
"""

from __future__ import annotations

from trainc.rehearse.expectations import Expectations
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import steps


def skip_reason(job: Expectations) -> str:
    """Without others nobody notices."""
    return steps.meets_others(job)


def run(watch: Observer) -> None:
    """Lose the last one."""
    steps.form(watch)
    mark = watch.now
    watch.stage.kill_pod(steps.last(watch.job), grace=0)
    expect_recovery(watch, mark, [one.pod.index for one in watch.job.members[: watch.job.pods - 1]])


def expect_recovery(watch: Observer, mark: float, left: list[int], hosted: bool = False) -> None:
    """What must follow when a pod has gone; `left` are the others, and with `hosted` it was where all meet."""
    job = watch.job
    if hosted or not job.elastic:
        ends = "all others end: they can't go on without it"
        if job.kind == "Pods" or hosted:
            steps.all_exit(watch, left, mark, ends, extra=60)
    if job.kind != "Pods":
        steps.again(watch, mark)
        smaller = [one for one in watch.worlds.since(mark) if one.complete and one.size < (job.world(job.pods) or 0)]
        if smaller:
            watch.note(f"until it was back, a world of {smaller[0].size} trained from {smaller[0].at:.1f} s on")
    elif job.elastic and not hosted:
        steps.formed(watch, job.pods - 1, mark)
    else:
        watch.note("nothing makes a bare Pod again: apply the job again")
