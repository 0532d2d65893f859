"""Scenarios of the end: the job is deleted, or its programs exit."""

from __future__ import annotations

from signal import SIGKILL

from trainc.rehearse.expectations import Expectations
from trainc.rehearse.log_evidence import event_line
from trainc.rehearse.observer import Observer
from trainc.rehearse.probe_client import ProbeEvent
from trainc.rehearse.scenarios import steps

_MAX_CHECKPOINT = 60.0  # seconds


def delete(observer: Observer) -> None:
    """The job is deleted while it trains, and writes a last checkpoint.

    Every process must get SIGTERM and then the time that the grace period and the launcher allow. torchrun gives its
    processes `shutdownTimeout` (30 s by default). DeepSpeed's launcher terminates its processes one after the other
    with up to 30 s each; a process that fails on a lost peer before its SIGTERM is noted. The probe's checkpoint takes
    four fifths of that time, at most 60 s.
    """
    steps.form(observer)
    expect_deletion(observer, min(_MAX_CHECKPOINT, 0.8 * shutdown_seconds(observer.job)))


def requires_grace(job: Expectations) -> str:
    """Return why `delete` doesn't apply; empty if it applies."""
    return "" if job.grace else "the grace period is 0: Kubernetes kills the processes at once"


def expect_deletion(observer: Observer, seconds: float) -> None:
    """Delete the job; every rank must have `seconds` for its checkpoint from its SIGTERM on."""
    job, session = observer.job, observer.session
    observer.control.set(checkpoint_seconds=seconds)
    in_sequence = job.launcher is not None and job.launcher.stops_in_sequence
    ranks = {(rank.pod, rank.rank) for world in observer.complete_worlds() for rank in world.ranks.values()}
    since = observer.now
    session.delete()
    observer.wait_until(lambda: all(pod.phase not in ("Running", "Terminating") for pod in session.pods), job.grace)
    if observer.ranks_from_env:
        exits = observer.events_of("container-exited", since=since)
        killed = [event_line(event) for event in exits if event.data.get("signal") == SIGKILL]
        observer.check(f"every container exits within its grace period of {job.grace} s", not killed, killed[:4])
        return
    terminated, saved = _by_rank(observer, "sigterm", since), _by_rank(observer, "saved", since)
    missing = sorted(f"rank {rank} on {pod}" for pod, rank in ranks - terminated.keys())
    if missing and terminated and in_sequence:
        # Processes that wait for the first terminated one fail meanwhile.
        observer.note(f"{', '.join(missing)} failed on lost peers before the SIGTERM of the launcher")
        missing = []
    lines = [_line(event) for event in terminated.values()]
    observer.check("every process gets SIGTERM", not missing, missing[:4] or lines[:1])
    if in_sequence:
        # Only the first process of each pod is sure of its time: others may have been failing at their SIGTERM.
        first = {pod: min(event.at for key, event in terminated.items() if key[0] == pod) for pod, _ in terminated}
        terminated = {key: e for key, e in terminated.items() if key in saved or e.at == first[key[0]]}
    saving = _by_rank(observer, "saving", since)  # the last of each rank
    killed = [
        f"{_line(event)}, killed after {saving[key].fields.get('seconds', 0) if key in saving else 0:.0f} s"
        for key, event in terminated.items()
        if key not in saved
    ]
    expectation = f"a checkpoint of {seconds:.0f} s completes within the grace period of {job.grace} s"
    evidence = killed[:4] or [_line(event) for event in saved.values()][:2]
    observer.check(expectation, not killed and bool(saved), evidence)


def shutdown_seconds(job: Expectations) -> float:
    """Return the seconds that each process of a pod has from its SIGTERM on."""
    launcher = job.launcher
    if launcher is None or launcher.shutdown_timeout is None:
        return job.grace
    value = job.first.container.value(launcher.shutdown_variable) or ""
    timeout = int(value) if value.isdecimal() else launcher.shutdown_timeout
    sequential = (job.first.launch.processes or 1) if launcher.stops_in_sequence else 1
    return min(timeout, job.grace / sequential)


def _by_rank(observer: Observer, kind: str, since: float) -> dict[tuple[str, int | None], ProbeEvent]:
    return {(e.pod, e.rank): e for e in observer.probe_events if e.kind == kind and e.at >= since}


def _line(event: ProbeEvent) -> str:
    action = "SIGTERM" if event.kind == "sigterm" else f"saved after {event.fields['seconds']} s"
    return f"{event.at:.1f} s rank {event.rank} on {event.pod}: {action}"


def finish(observer: Observer) -> None:
    """The programs exit, and the job ends as its manifests say.

    All processes exit with code 0. A Job must complete when all workers, or worker 0, succeed; bare Pods must succeed;
    a set that never ends by itself must be scaled to zero if worker 0 has that right, or else restart the program.
    """
    steps.form(observer)
    expect_completion(observer)


def expect_completion(observer: Observer) -> None:
    """Let all programs exit, and expect what follows."""
    job, since = observer.job, observer.now
    observer.control.set(finish=True)
    if not job.ends and not job.scales_set_to_zero:
        _expect_restart(observer, since, "the controller restarts the program: nothing completes the job")
        return
    if job.controller is None and job.restart_policy == "Always":
        _expect_restart(observer, since, "a Pod with restartPolicy Always restarts the program")
        return
    result = observer.wait_until(lambda: observer.session.finished)
    lines = [event_line(event) for event in observer.events_of("job-complete", "job-failed", "scaled", since=since)]
    observer.check(_expected_completion(job), result == "complete", lines or observer.evidence(since))
    if job.worker_0_completes_job or job.scales_set_to_zero or (job.has_operator and job.is_elastic):
        return
    servers = {pod.name for pod in observer.session.pods if pod.server}
    exits = [event for event in observer.events_of("container-exited", since=since) if event.pod not in servers]
    failures = [event for event in exits if event.data.get("exit_code")]
    evidence = [event_line(event) for event in (failures or exits)[:4]]
    observer.check("every container exits with code 0", not failures, evidence)


def _expected_completion(job: Expectations) -> str:
    if job.controller is None:
        return "every Pod succeeds"
    if job.has_operator:
        return "the operator completes the job"
    if not job.ends:
        return f"worker 0 scales the {job.controller.kind} to zero when it exits"
    succeeded = "worker 0 succeeds" if job.worker_0_completes_job else "all workers succeed"
    return f"the {job.controller.kind} completes when {succeeded}"


def _expect_restart(observer: Observer, since: float, expectation: str) -> None:
    restarts = observer.wait_until(lambda: observer.events_of("container-restarted", since=since), steps.BACKOFF)
    lines = [event_line(event) for event in (restarts or [])[:2]]
    observer.check(expectation, bool(lines), lines)
