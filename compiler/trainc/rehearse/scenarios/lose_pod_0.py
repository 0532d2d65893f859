"""Worker 0 is lost in a node failure.

With c10d, static, DeepSpeed and basic, worker 0 hosts the rendezvous: the other launchers must exit, and all workers
must form the world again once worker 0 is back. With etcd it is a worker like any other.
"""

from __future__ import annotations

from trainc.rehearse.expectations import Expectations
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import steps
from trainc.rehearse.scenarios.lose_pod import expect_recovery


def skip_reason(job: Expectations) -> str:
    """Apply to jobs with more than one communicating worker."""
    return steps.requires_peers(job)


def run(observer: Observer) -> None:
    """Kill worker 0 without a grace period."""
    job = observer.job
    steps.form(observer)
    since = observer.now
    observer.session.kill_pod(job.first.pod.index, grace=0)
    expect_recovery(observer, since, job.indexes(1, job.pods), job.worker_0_hosts_rendezvous)
