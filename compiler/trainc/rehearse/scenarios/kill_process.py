"""A process is killed, as by the kernel when memory is short.

torchrun that has `maxRestarts` left must start all processes again, in the same pods. Otherwise the launcher ends, and
the job's own policies decide: the container is started again, its pod is replaced, or the job fails. After a new start
all must meet again.
"""

from __future__ import annotations

from trainc.rehearse.events import Event
from trainc.rehearse.expectations import Expectations
from trainc.rehearse.log_evidence import event_line
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import steps

_CLOSED = "RendezvousClosedError"


def skip_reason(job: Expectations) -> str:
    """It fits every job that starts."""
    return ""


def run(watch: Observer) -> None:
    """Kill the last rank."""
    job = watch.job
    world = steps.form(watch)
    victim = world.ranks[world.size - 1]
    mark = watch.now
    watch.stage.kill_process(victim.pod, world.size - 1)
    if job.launcher == "torchrun" and job.first.launch.restarts:
        steps.again(watch, mark)
        gone = [one for one in watch.happened("container-exited", since=mark) if not one.data.get("init")]
        watch.check(
            "torchrun starts the processes again, in the same pods", not gone, [event_line(one) for one in gone]
        )
        return
    index = next((one.index for one in watch.stage.pods if one.name == victim.pod), 0)
    ended = steps.exited(watch, index, mark)
    watch.must(f"the launcher on {victim.pod} ends with a failure", ended, _lines(ended) or watch.evidence(mark))
    assert ended is not None
    follows(watch, ended, mark)


def follows(watch: Observer, ended: Event, mark: float) -> None:
    """What must follow when a launcher has ended with a failure."""
    job = watch.job
    then = steps.after_exit(watch, ended)
    if then == "fails":
        steps.ends(watch, f"it isn't tried again after exit code {ended.data.get('exit_code')}")
    elif then == "stays":
        watch.check("nothing tries again", not watch.happened("container-restarted", since=mark))
    elif job.backend.startswith("etcd") and not job.first.launch.restarts:
        _closed(watch, mark)
    else:
        steps.again(watch, mark)


def _closed(watch: Observer, mark: float) -> None:
    """etcd keeps a rendezvous that has failed closed: https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/
    elastic/rendezvous/etcd_rendezvous.py, set_closed"""

    def met() -> list[Event]:
        return [one for one in watch.happened("line", since=mark) if _CLOSED in one.text]

    lines = [event_line(one) for one in (watch.until(met, steps.BACK_OFF) or [])[:2]]
    watch.check("etcd keeps the rendezvous closed: who is started again fails, too", bool(lines), lines)
    watch.note("with maxRestarts, or with c10d, the job would go on")


def _lines(event: Event | None) -> list[str]:
    return [] if event is None else [event_line(event)]
