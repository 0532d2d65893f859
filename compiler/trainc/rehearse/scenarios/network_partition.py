"""The last pod loses its network connection without notice.

Its link is cut, as by a failed switch: no connection is closed. The other workers must detect it by their own timeouts:
the process group's (30 s for the probe, 10 minutes in a program that doesn't set it) and the rendezvous heartbeats. An
elastic job must continue without the pod; a fixed-size job must not, and must form the world again once the pod is
replaced.
"""

from __future__ import annotations

from trainc.rehearse.expectations import Expectations
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import steps

_TIMEOUTS = 120.0  # seconds: the probe's process group, three heartbeats, and what the launchers add


def skip_reason(job: Expectations) -> str:
    """Apply to jobs with more than one communicating worker."""
    return steps.requires_peers(job)


def run(observer: Observer) -> None:
    """Disconnect the last pod; then restore its network, or replace the pod."""
    job = observer.job
    steps.form(observer)
    since, index = observer.now, steps.last_worker(job)
    observer.session.disconnect(index)
    if not steps.requires_smaller_world(job):
        steps.expect_world(observer, job.pods - 1, since, extra=_TIMEOUTS)
        since = observer.now
        observer.session.reconnect(index)
        if job.pods <= job.nodes[1]:
            steps.expect_world_again(observer, since, extra=_TIMEOUTS + steps.BACKOFF)
        return
    _expect_detection(observer, job.indexes(0, job.pods - 1), since)
    smaller = [world for world in observer.worlds.since(since) if world.complete]
    observer.check("no smaller world forms", not smaller, [f"a world of {steps.ranks(w.size)}" for w in smaller])
    since = observer.now
    if job.controller is None:
        observer.session.reconnect(index)
    else:  # as the node controller does after five minutes
        observer.session.kill_pod(index, grace=0)
    steps.expect_world_again(observer, since, extra=_TIMEOUTS + steps.BACKOFF)


def _expect_detection(observer: Observer, others: list[int], since: float) -> None:
    """Wait until on every other worker a process fails or the launcher exits."""

    def failed_pods() -> set[str]:
        failed = {event.pod for event in observer.probe_events if event.kind == "failed" and event.at >= since}
        return failed | {event.pod for event in observer.events_of("container-exited", since=since)}

    detected = observer.wait_until(lambda: all(failed_pods() & observer.pod_names(i) for i in others), _TIMEOUTS)
    failures = [event for event in observer.probe_events if event.kind == "failed"]
    lines = [f"{event.at:.1f} s {event.pod}: {event.text('reason')}" for event in failures[:4]]
    observer.check("all other workers detect the lost connection", bool(detected), lines or observer.evidence(since))
