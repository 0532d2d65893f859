"""A training process is killed, as by the kernel's OOM killer.

torchrun with `maxRestarts` left must restart all processes in the same pods. Otherwise the launcher exits, and the
job's own policies decide: the container restarts, its pod is replaced, or the job fails. After a restart all workers
must form the world again.
"""

from __future__ import annotations

from trainc.rehearse.events import Event
from trainc.rehearse.expectations import Expectations
from trainc.rehearse.log_evidence import event_line
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import steps

_CLOSED = "RendezvousClosedError"


def skip_reason(job: Expectations) -> str:
    """Apply to every job that starts."""
    return ""


def run(observer: Observer) -> None:
    """Kill the process of the last rank."""
    job = observer.job
    world = steps.form(observer)
    pod = world.ranks[world.size - 1].pod
    since = observer.now
    observer.session.kill_process(pod, world.size - 1)
    if job.first.launch.restarts:
        steps.expect_world_again(observer, since)
        exits = observer.exits(since)
        observer.check("the launcher restarts the processes in the same pods", not exits, list(map(event_line, exits)))
        return
    index = next((state.index for state in observer.session.pods if state.name == pod), 0)
    failure = steps.wait_for_failure(observer, index, since)
    lines = [event_line(failure)] if failure else observer.evidence(since)
    observer.require(f"the launcher on {pod} exits with an error", failure, lines)
    assert failure is not None
    _expect_policy(observer, failure, since)


def _expect_policy(observer: Observer, failure: Event, since: float) -> None:
    """Expect what the job's policies do after a launcher's failure."""
    job = observer.job
    outcome = steps.failure_outcome(observer, failure)
    if outcome == "fails":
        steps.expect_job_failure(observer, f"exit code {failure.data.get('exit_code')} is not retried")
    elif outcome == "stays":
        observer.check("nothing restarts the container", not observer.events_of("container-restarted", since=since))
    elif job.backend.startswith("etcd") and not job.first.launch.restarts:
        _expect_closed_rendezvous(observer, since)
    else:
        steps.expect_world_again(observer, since)


def _expect_closed_rendezvous(observer: Observer, since: float) -> None:
    """etcd keeps a failed rendezvous closed: https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/
    elastic/rendezvous/etcd_rendezvous.py, set_closed"""

    def errors() -> list[Event]:
        return [event for event in observer.events_of("line", since=since) if _CLOSED in event.text]

    lines = [event_line(event) for event in (observer.wait_until(errors, steps.BACKOFF) or [])[:2]]
    observer.check("restarted launchers fail: etcd keeps the rendezvous closed", bool(lines), lines)
    observer.note("set `maxRestarts` or use the c10d backend to survive a killed process")
