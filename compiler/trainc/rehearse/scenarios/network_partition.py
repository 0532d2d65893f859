"""A pod vanishes from the network, without a word.

Its link is cut, as by a switch that fails: no connection is closed. The others must notice by their own timeouts: the
process group's (30 s for the probe, ten minutes in a program that doesn't set it) and the rendezvous' heartbeats. Those
of an elastic job must go on without it; those of a fixed job must not, and meet again when the pod was replaced.
"""

from __future__ import annotations

from trainc.rehearse.expectations import Expectations
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import steps

_TIMEOUTS = 120.0  # seconds: the probe's process group, three heartbeats, and what the launchers add


def skip_reason(job: Expectations) -> str:
    """Without others nobody notices."""
    return steps.meets_others(job)


def run(watch: Observer) -> None:
    """Cut the last one off; then the network is back, or the node is given up."""
    job = watch.job
    steps.form(watch)
    mark, cut = watch.now, steps.last(job)
    watch.stage.disconnect(cut)
    if not steps.shrinks(job):
        steps.formed(watch, job.pods - 1, mark, extra=_TIMEOUTS)
        mark = watch.now
        watch.stage.reconnect(cut)
        if job.pods <= job.nodes[1]:
            steps.again(watch, mark, extra=_TIMEOUTS + steps.BACK_OFF)
        return
    left = [one.pod.index for one in job.members[: job.pods - 1]]
    notice(watch, left, mark)
    smaller = [one for one in watch.worlds.since(mark) if one.complete]
    watch.check("nobody goes on without it", not smaller, [f"a world of {one.size}" for one in smaller])
    mark = watch.now
    if job.kind == "Pods":
        watch.stage.reconnect(cut)
    else:  # as the node's controller does after five minutes
        watch.stage.kill_pod(cut, grace=0)
    steps.again(watch, mark, extra=_TIMEOUTS + steps.BACK_OFF)


def notice(watch: Observer, left: list[int], mark: float) -> None:
    """Every process that is left must fail, or its launcher end."""

    def met() -> list[int]:
        failed = {one.pod for one in watch.said if one.what == "failed" and one.at >= mark}
        failed |= {one.pod for one in watch.happened("container-exited", since=mark)}
        return left if all(failed & watch.named(index) for index in left) else []

    noticed = watch.until(met, _TIMEOUTS)
    lines = [f"{one.at:.1f} s {one.pod}: {one.text('why')}" for one in watch.said if one.what == "failed"]
    watch.check("all others notice", noticed is not None, lines[:4] or watch.evidence(mark))
