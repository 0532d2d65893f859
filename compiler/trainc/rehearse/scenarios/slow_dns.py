"""Worker 0's DNS name appears late.

A cluster's DNS serves a name some seconds after the pod got its address, and a resolver caches for up to 30 s that the
name doesn't exist. The launchers must wait for the name and form the same world.
"""

from __future__ import annotations

from trainc.rehearse.expectations import Expectations
from trainc.rehearse.log_evidence import event_line
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import steps

_DELAY = 20.0  # seconds


def skip_reason(job: Expectations) -> str:
    """Apply to jobs with more than one communicating worker."""
    return steps.requires_peers(job)


def run(observer: Observer) -> None:
    """Hide worker 0's name from DNS for a while."""
    steps.form(observer, dns_delays={observer.job.first.pod.index: _DELAY})
    failed = [event for event in observer.events_of("dns") if not event.data.get("answer")]
    if not failed:
        observer.note("no worker looked up the name before DNS served it: this machine is slower than the delay")
    observer.check(f"DNS serves worker 0's name after {_DELAY:.0f} s", True, list(map(event_line, failed[:2])))
