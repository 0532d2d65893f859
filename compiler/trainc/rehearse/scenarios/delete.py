"""The job is deleted while it trains, and its programs have the time for a last checkpoint.

Every process must get SIGTERM, and be left alone for the time that the grace period and the launcher promise: torchrun
gives its processes `shutdownTimeout`, 30 s by default; DeepSpeed's launcher 30 s to one after the other, so that some
may fail for want of their peers before they are told, which is noted. The probe writes for four fifths of that time, a
minute at most.
"""

from __future__ import annotations

from signal import SIGKILL

from trainc.rehearse.expectations import Expectations
from trainc.rehearse.log_evidence import event_line
from trainc.rehearse.observer import Observer
from trainc.rehearse.probe_events import ProbeEvent
from trainc.rehearse.scenarios import steps

_LAUNCHERS = 30  # seconds that torchrun and DeepSpeed wait
_MOST = 60.0


def skip_reason(job: Expectations) -> str:
    """Without a grace period there is nothing to rehearse."""
    return "" if job.grace else "its grace period is 0: its processes are killed at once"


def run(watch: Observer) -> None:
    """Delete it."""
    save = min(_MOST, 0.8 * checkpoint_seconds(watch.job))
    steps.form(watch)
    watch.control.tell(save=save)
    expect_deletion(watch, save)


def expect_deletion(watch: Observer, save: float) -> None:
    """Delete the job; every rank must have `save` seconds from its SIGTERM on."""
    ranks = {(one.pod, one.rank) for world in watch.worlds.live if world.complete for one in world.ranks.values()}
    mark = watch.now
    watch.stage.stop()
    watch.until(lambda: all(one.phase not in ("Running", "Terminating") for one in watch.stage.pods), watch.job.grace)
    if watch.silent:
        killed = [one for one in watch.happened("container-exited", since=mark) if one.data.get("signal") == SIGKILL]
        expectation = f"every container ends by itself within its grace period of {watch.job.grace} s"
        watch.check(expectation, not killed, [event_line(one) for one in killed[:4]])
        return
    told, saved = _by_rank(watch, "told", mark), _by_rank(watch, "saved", mark)
    missing = sorted(f"rank {rank} on {pod}" for pod, rank in ranks - told.keys())
    if missing and told and watch.job.launcher == "deepspeed":
        # Its launcher ends one process after the other, and those that wait for the first fail meanwhile.
        watch.note(f"DeepSpeed's launcher told {', '.join(missing)} nothing before they had lost their peers")
        missing = []
    watch.check("every process is told to end", not missing, missing[:4] or [_line(one) for one in told.values()][:1])
    if watch.job.launcher == "deepspeed":
        # Of those that were told while they failed already, too, only the first of each pod is promised its time.
        first = {pod: min(one.at for key, one in told.items() if key[0] == pod) for pod, _ in told}
        told = {key: one for key, one in told.items() if key in saved or one.at == first[key[0]]}
    cut = [
        f"{_line(one)}, and was killed after {_last(watch, one):.0f} s" for key, one in told.items() if key not in saved
    ]
    expectation = f"a checkpoint of {save:.0f} s is written whole, with a grace period of {watch.job.grace} s"
    watch.check(expectation, not cut and bool(saved), cut[:4] or [_line(one) for one in saved.values()][:2])


def checkpoint_seconds(job: Expectations) -> float:
    """Seconds that each process of a pod has from its SIGTERM on."""
    if job.launcher == "torchrun":
        given = job.first.container.value("PET_SHUTDOWN_TIMEOUT") or ""
        return min(job.grace, int(given) if given.isdecimal() else _LAUNCHERS)
    if job.launcher == "deepspeed":
        return min(_LAUNCHERS, job.grace / (job.first.launch.processes or 1))
    return job.grace


def _by_rank(watch: Observer, what: str, mark: float) -> dict[tuple[str, int | None], ProbeEvent]:
    return {(one.pod, one.rank): one for one in watch.said if one.what == what and one.at >= mark}


def _last(watch: Observer, told: ProbeEvent) -> float:
    ticks = [one for one in watch.said if one.what == "saving" and (one.pod, one.rank) == (told.pod, told.rank)]
    return float(ticks[-1].facts.get("seconds", 0)) if ticks else 0.0


def _line(one: ProbeEvent) -> str:
    after = f" after {one.facts['seconds']} s" if one.what == "saved" else ""
    return f"{one.at:.1f} s rank {one.rank} on {one.pod}: {'SIGTERM' if one.what == 'told' else one.what}{after}"
