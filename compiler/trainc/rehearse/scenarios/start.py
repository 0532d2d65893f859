"""Scenarios of the start: all pods start, late or not, and form the world of `trainc plan`."""

from __future__ import annotations

from trainc.rehearse import compare
from trainc.rehearse.log_evidence import event_line
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import steps

_DELAY = 20.0  # seconds


def form(observer: Observer) -> None:
    """The pods start and form the world of `trainc plan`.

    All pods start together. Every rank must exist exactly once, on the pod where the plan places it; all ranks must
    have the same MASTER_ADDR; an all-reduce must return the right sum; and each pod must run the command line and
    environment of the plan. An elastic job must form a world of its initial size.
    """
    try:
        steps.form(observer)
    finally:  # a wrong command line or environment often explains why no world forms
        compare.compare_startup(observer)


def slow_dns(observer: Observer) -> None:
    """Worker 0's DNS name appears late.

    A cluster's DNS serves a name some seconds after the pod gets its address, and resolvers cache a negative answer for
    up to 30 s. The launchers must wait for the name and form the same world.
    """
    steps.form(observer, dns_delays={observer.job.first.pod.index: _DELAY})
    failed = [event for event in observer.events_of("dns") if not event.data.get("answer")]
    if not failed:
        observer.note("no worker looked up the name before DNS served it: this machine is slower than the delay")
    observer.check(f"DNS serves worker 0's name after {_DELAY:.0f} s", True, list(map(event_line, failed[:2])))


def slow_pod(observer: Observer) -> None:
    """Worker 0 starts late, as on a node that has to pull the image first.

    The other workers start first. They must wait for worker 0, or restart, and form the same world.
    """
    index = observer.job.first.pod.index
    steps.form(observer, delays={index: _DELAY})
    names = observer.pod_names(index)
    started = [event for event in observer.events_of("container-started") if event.pod in names]
    observer.check(f"worker 0 starts after {_DELAY:.0f} s", bool(started), list(map(event_line, started[:1])))
    exits = observer.exits()
    if exits:
        observer.note(f"{len(exits)} containers exited while they waited, and were restarted")
