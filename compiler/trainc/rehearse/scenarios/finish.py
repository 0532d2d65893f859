"""The programs end, and the job does as its manifests say.

All processes end with 0. A Job must be complete when all workers are done, or worker 0; bare Pods must have succeeded;
a StatefulSet must be scaled to zero where worker 0 may do that, and starts the program again where nothing ends it.
"""

from __future__ import annotations

from trainc.rehearse.events import Event
from trainc.rehearse.expectations import Expectations
from trainc.rehearse.log_evidence import event_line
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import steps


def skip_reason(job: Expectations) -> str:
    """It fits every job that starts."""
    return ""


def run(watch: Observer) -> None:
    """Tell the programs to end."""
    steps.form(watch)
    mark = watch.now
    watch.control.tell(finish=True)
    expect_completion(watch, mark)


def expect_completion(watch: Observer, mark: float) -> None:
    """What must follow when the programs have ended."""
    job = watch.job
    if job.kind == "StatefulSet" and not job.stops_set:
        found = _restarted(watch, mark)
        watch.check("nothing ends a StatefulSet: the program is started again", bool(found), found)
        return
    if job.kind == "Pods" and job.restart_policy == "Always":
        found = _restarted(watch, mark)
        watch.check("a Pod of restart policy Always starts the program again", bool(found), found)
        return
    over = watch.until(lambda: watch.stage.finished)
    who = "worker 0 is" if job.leader_ends_it else "all workers are"
    expectation = {
        "Job": f"the Job is complete when {who} done",
        "operator": "the operator takes the job for done",
        "StatefulSet": "worker 0 scales the set to zero when it is done",
        "Pods": "every Pod has succeeded",
    }[job.kind]
    lines = [event_line(one) for one in watch.happened("job-complete", "job-failed", "scaled", since=mark)]
    watch.check(expectation, over == "complete", lines or watch.evidence(mark))
    ended = _ended(watch, mark)
    wrong = [one for one in ended if one.data.get("exit_code")]
    if not job.leader_ends_it and not job.stops_set and not (job.kind == "operator" and job.elastic):
        watch.check(
            "every container ends with exit code 0", not wrong, [event_line(one) for one in (wrong or ended)[:4]]
        )


def _ended(watch: Observer, mark: float) -> list[Event]:
    servers = {one.name for one in watch.stage.pods if one.server}
    return [one for one in watch.happened("container-exited", since=mark) if one.pod not in servers]


def _restarted(watch: Observer, mark: float) -> list[str]:
    found = watch.until(lambda: watch.happened("container-restarted", since=mark), steps.BACK_OFF)
    return [event_line(one) for one in (found or [])[:2]]
