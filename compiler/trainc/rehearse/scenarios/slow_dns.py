"""The cluster's DNS knows worker 0 only after a while.

A name is known some seconds after its pod has an address, and a resolver remembers for up to 30 s that there was none.
The launchers must wait for it, and form the same world.
"""

from __future__ import annotations

from trainc.rehearse.expectations import Expectations
from trainc.rehearse.log_evidence import event_line
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import steps

_SECONDS = 20.0


def skip_reason(job: Expectations) -> str:
    """Who meets nobody looks for nobody."""
    return steps.meets_others(job)


def run(watch: Observer) -> None:
    """Keep the DNS from knowing worker 0."""
    steps.form(watch, dns_delays={watch.job.first.pod.index: _SECONDS})
    asked = [one for one in watch.happened("dns") if not one.data.get("answer")]
    if not asked:
        watch.note("nobody asked before the DNS knew: this machine is slower than the DNS was")
    watch.check(f"for {_SECONDS:.0f} s the DNS didn't know worker 0", True, [event_line(one) for one in asked[:2]])
