"""What the running workers do while others are absent: they wait, form a smaller world, or hang.

The module `absence` of a launcher has `consequences(absence)`, which yields a Consequence for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from trainc.launchers.registry import has_part, part
from trainc.plan.launch import WorkerLaunch
from trainc.record import Record
from trainc.status.pod_problems import LOST
from trainc.status.times import after
from trainc.status.workers import WorkerStatus


class Consequence(Record):
    """What the running workers do, when and how it ends, and why. A time is None if it is unknown."""

    message: str
    until: datetime | None = None
    end: str = ""
    reason: str = ""


class Absence(Record):
    """Running and absent workers.

    `was_complete` is whether an absent worker has run together with the others, `is_silent` whether its node no longer
    reports, so that nobody has closed its connections. `host` is the absent worker that hosts the rendezvous, empty if
    it runs or no worker hosts it.
    """

    launch: WorkerLaunch
    running: tuple[WorkerStatus, ...]
    absent: tuple[WorkerStatus, ...]
    was_complete: bool
    is_silent: bool
    host: str

    def started(self, seconds: float) -> datetime | None:
        """Return when the first of the running workers has run for some seconds."""
        times = [each.pod.started for each in self.running if each.pod and each.pod.started]
        return after(min(times, default=None), seconds)


def consequences(workers: Sequence[WorkerStatus]) -> list[Consequence]:
    """Return what the running workers do without the absent ones; nothing if all or none of them run."""
    running = tuple(each for each in workers if each.runs)
    absent = tuple(each for each in workers if each.is_expected and not each.runs and each.phase != "Succeeded")
    launch = next((each.planned.launch for each in workers if each.planned), None)
    if not running or not absent or launch is None or not launch.has_launcher or launch.is_standalone:
        return []
    if not has_part(launch.launcher, "absence"):
        return []
    hosts = (each.name for each in absent if each.planned and each.planned.is_rendezvous_host)
    state = Absence(
        launch=launch,
        running=running,
        absent=absent,
        was_complete=any(_ran_together(each, running) for each in absent),
        is_silent=any(each.problem and each.problem.code == LOST for each in absent),
        host=next(hosts, ""),
    )
    return list(part(launch.launcher, "absence").consequences(state))


def _ran_together(absent: WorkerStatus, running: Sequence[WorkerStatus]) -> bool:
    """Return whether a worker that is absent now has ended, or has been replaced, after the others started."""
    ends = [each.exit.time for pod in absent.pods for each in pod.containers if each.exit and each.exit.time]
    ends += [each.time for each in absent.former if each.time]
    if absent.pod and absent.pod.runs:
        return True
    ends += [absent.pod.created] if absent.has_run and absent.pod and absent.pod.created else []
    starts = [each.pod.started for each in running if each.pod and each.pod.started]
    return bool(ends) and bool(starts) and max(ends) >= min(starts)
