"""The programs exit, and the job ends as its manifests say.

All processes exit with code 0. A Job must complete when all workers, or worker 0, succeed; bare Pods must succeed; a
StatefulSet must be scaled to zero if worker 0 is allowed to, and restarts the program otherwise.
"""

from __future__ import annotations

from trainc.rehearse.expectations import Expectations
from trainc.rehearse.log_evidence import event_line
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import steps


def skip_reason(job: Expectations) -> str:
    """Apply to every job that starts."""
    return ""


def run(observer: Observer) -> None:
    """Let the programs exit."""
    steps.form(observer)
    since = observer.now
    observer.control.set(finish=True)
    expect_completion(observer, since)


def expect_completion(observer: Observer, since: float) -> None:
    """Expect what follows when all programs have exited."""
    job = observer.job
    if not job.ends and not job.scales_set_to_zero:
        _expect_restart(observer, since, "the controller restarts the program: nothing completes the job")
        return
    if job.controller is None and job.restart_policy == "Always":
        _expect_restart(observer, since, "a Pod with restartPolicy Always restarts the program")
        return
    expectation = _expected_completion(job)
    result = observer.wait_until(lambda: observer.session.finished)
    lines = [event_line(event) for event in observer.events_of("job-complete", "job-failed", "scaled", since=since)]
    observer.check(expectation, result == "complete", lines or observer.evidence(since))
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
