"""Scenarios in which a process, a pod or its network is lost."""

from __future__ import annotations

from trainc.rehearse.events import Event
from trainc.rehearse.expectations import Expectations
from trainc.rehearse.log_evidence import event_line
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import steps
from trainc.rehearse.scenarios.resize import requires_smaller_world

_CLOSED = "RendezvousClosedError"
_TIMEOUTS = 120.0  # seconds: the probe's process group, three heartbeats, and what the launchers add


def kill_process(observer: Observer) -> None:
    """A training process is killed, as by the kernel's OOM killer.

    torchrun with `maxRestarts` left must restart all processes in the same pods. Otherwise the launcher exits, and the
    job's own policies decide: the container restarts, its pod is replaced, or the job fails. After a restart all
    workers must form the world again.
    """
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
    if job.has_ssh_workers:
        index, pod = 0, "worker 0"
    failure = steps.wait_for_failure(observer, index, since)
    lines = [event_line(failure)] if failure else observer.evidence(since)
    where = "the launcher" if job.has_launcher_pod else f"the launcher on {pod}"
    failure = observer.require(f"{where} exits with an error", failure, lines)
    effect = steps.failure_effect(observer, failure)
    if effect in ("job fails", "worker fails"):
        code, result = failure.data.get("exit_code"), observer.wait_until(lambda: observer.session.finished)
        lines = [event_line(event) for event in observer.events_of("job-failed")]
        evidence = lines or observer.evidence()
        observer.check(f"the job fails: exit code {code} is not retried", result == "failed", evidence)
    elif effect == "stays":
        observer.check("nothing restarts the container", not observer.events_of("container-restarted", since=since))
    elif job.backend.startswith("etcd"):
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


def lose_pod(observer: Observer) -> None:
    """The last pod is lost in a node failure.

    The last pod is killed without notice. The other pods of an elastic job must continue in a smaller world until it is
    replaced; the launchers of a fixed-size job exit and form the world again with the replacement, or with new pods
    only if the controller restarts all of them. A bare Pod is not replaced.
    """
    steps.form(observer)
    _lose(observer, observer.job.pods - 1)


def lose_pod_0(observer: Observer) -> None:
    """Worker 0 is lost in a node failure.

    With c10d, static, DeepSpeed and basic, worker 0 hosts the rendezvous: the other launchers must exit, and all
    workers must form the world again once worker 0 is back. Over ssh the others run sshd, which ends the processes but
    not itself. With etcd it is a worker like any other.
    """
    steps.form(observer)
    _lose(observer, 0, observer.job.worker_0_hosts_rendezvous)


def _lose(observer: Observer, position: int, hosts_rendezvous: bool = False) -> None:
    job, since = observer.job, observer.now
    indexes = job.indexes(0, job.pods)
    observer.session.kill_pod(indexes.pop(position), grace=0)
    if job.has_launcher_pod:
        failure = steps.wait_for_failure(observer, position, since)
        lines = [event_line(failure)] if failure else observer.evidence(since)
        observer.check("the launcher exits with an error", failure is not None, lines)
    elif job.has_ssh_workers:
        if position:
            steps.expect_exits(observer, indexes[:1], since, "the launcher on worker 0 exits", extra=60)
    elif hosts_rendezvous or (job.controller is None and not job.is_elastic):
        steps.expect_exits(observer, indexes, since, "all other launchers exit", extra=60)
    if job.controller is not None:
        steps.expect_world_again(observer, since)
        full_size = job.world_size(job.pods) or 0
        smaller = [world for world in observer.worlds.since(since) if world.complete and world.size < full_size]
        if smaller:
            size, at = smaller[0].size, smaller[0].completed_at
            observer.note(f"a world of {steps.ranks(size)} trained from {at:.1f} s on, until the pod was replaced")
    elif job.is_elastic and not hosts_rendezvous:
        steps.expect_world(observer, job.pods - 1, since)
    else:
        observer.note("bare Pods are not replaced: apply the job again")


def network_partition(observer: Observer) -> None:
    """The last pod loses its network connection without notice.

    Its link is cut, as by a failed switch: no connection is closed. The other workers must detect it by their own
    timeouts: the process group's (30 s for the probe, 10 minutes in a program that doesn't set it) and the rendezvous
    heartbeats. An elastic job must continue without the pod; a fixed-size job must not, and must form the world again
    once the pod is replaced.
    """
    job = observer.job
    steps.form(observer)
    *others, index = job.indexes(0, job.pods)
    disconnected = {pod.uid for pod in observer.session.pods if pod.index == index and not pod.server}
    since = observer.now
    observer.session.disconnect(index)
    if not requires_smaller_world(job):
        steps.expect_world(observer, job.pods - 1, since, extra=_TIMEOUTS)
        since = observer.now
        observer.session.reconnect(index)
        if job.pods <= job.nodes[1]:
            steps.expect_world_again(observer, since, extra=_TIMEOUTS + steps.BACKOFF)
        return
    _expect_detection(observer, others, since)
    smaller = [world for world in observer.worlds.since(since) if world.complete]
    observer.check("no smaller world forms", not smaller, [f"a world of {steps.ranks(w.size)}" for w in smaller])
    since = observer.now
    remaining = [pod.name for pod in observer.session.pods if pod.uid in disconnected]
    if job.controller is None:
        observer.session.reconnect(index)
    elif remaining:  # as the node controller does after five minutes
        observer.session.kill_pod(remaining[0], grace=0)
    else:
        observer.note("the controller replaced the disconnected pod together with the others")
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


def requires_peers(job: Expectations) -> str:
    """Return why a scenario doesn't apply that affects other workers; empty if it applies."""
    if job.is_independent:
        return "the workers don't communicate: losing or delaying one affects no other"
    return "the job starts with one pod: no other worker is affected" if job.pods < 2 else ""
