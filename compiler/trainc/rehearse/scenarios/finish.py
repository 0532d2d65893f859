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
    if job.kind == "StatefulSet" and not job.scales_set_to_zero:
        _expect_restart(observer, since, "the StatefulSet restarts the program: nothing completes it")
        return
    if job.kind == "Pods" and job.restart_policy == "Always":
        _expect_restart(observer, since, "a Pod with restartPolicy Always restarts the program")
        return
    expectation = {
        "Job": f"the Job completes when {'worker 0 succeeds' if job.worker_0_completes_job else 'all workers succeed'}",
        "operator": "the operator completes the job",
        "StatefulSet": "worker 0 scales the StatefulSet to zero when it exits",
        "Pods": "every Pod succeeds",
    }[job.kind]
    result = observer.wait_until(lambda: observer.session.finished)
    lines = [event_line(event) for event in observer.events_of("job-complete", "job-failed", "scaled", since=since)]
    observer.check(expectation, result == "complete", lines or observer.evidence(since))
    if job.worker_0_completes_job or job.scales_set_to_zero or (job.kind == "operator" and job.is_elastic):
        return
    servers = {pod.name for pod in observer.session.pods if pod.server}
    exits = [event for event in observer.events_of("container-exited", since=since) if event.pod not in servers]
    failures = [event for event in exits if event.data.get("exit_code")]
    evidence = [event_line(event) for event in (failures or exits)[:4]]
    observer.check("every container exits with code 0", not failures, evidence)


def _expect_restart(observer: Observer, since: float, expectation: str) -> None:
    restarts = observer.wait_until(lambda: observer.events_of("container-restarted", since=since), steps.BACKOFF)
    lines = [event_line(event) for event in (restarts or [])[:2]]
    observer.check(expectation, bool(lines), lines)
