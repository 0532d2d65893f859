"""What T9k's jobs have in common: scheduler, run policy, run mode, restarts.

https://github.com/t9k/user-manuals/tree/fbf6b3c/src/references/api-reference
"""

from __future__ import annotations

from typing import Any

from trainc.ir.job import Failure, Gang, Job
from trainc.systems.shared.t9k.facts import CLEAN_UP_POLICY, DEFAULT_QUEUE, RETRYABLE, SSHD


def scheduler(gang: Gang) -> dict[str, Any]:
    """`spec.scheduler`: the controller makes a PodGroup of all replicas, in this queue and with this priority."""
    wishes = {"queue": gang.queue or DEFAULT_QUEUE, "priority": gang.priority}
    return {"t9kScheduler": {name: wish for name, wish in wishes.items() if wish is not None}}


def run_policy(job: Job) -> dict[str, Any]:
    """`spec.runPolicy`. Where the job says nothing the pods that still run go when it has ended: those of the other
    workers are sshd, which never ends, and would keep their GPUs."""
    several = job.replicas.maximum > 1 and job.debug is None
    policy = job.clean_pod_policy or ("Unfinished" if several else None)
    fields = {
        "activeDeadlineSeconds": job.failure.active_deadline_seconds,
        "backoffLimit": job.failure.backoff_limit or None,
        "cleanUpPolicy": CLEAN_UP_POLICY.get(policy, policy) if policy else None,
    }
    return {name: value for name, value in fields.items() if value is not None}


def run_mode(job: Job) -> dict[str, Any]:
    """`spec.runMode`; empty for a job that trains."""
    if job.paused:
        return {"pause": {"enabled": True}}
    if job.debug is None:
        return {}
    replicas: dict[str, Any] = {"type": job.role}
    if job.debug.skip_init_containers:
        replicas["skipInitContainer"] = True
    if job.debug.command not in ((), SSHD):
        replicas["command"] = list(job.debug.command)
    return {"debug": {"enabled": True, **({"replicaSpecs": [replicas]} if len(replicas) > 1 else {})}}


def restart_policy(failure: Failure) -> str | None:
    """Of the workers; None is the controller's OnFailure, which makes a failed pod anew."""
    if failure.backoff_limit == 0:
        return "Never"
    return "ExitCode" if retries_its_codes(failure) else None


def retries_its_codes(failure: Failure) -> bool:
    """Whether the rules on exit codes are those of the controllers' ExitCode."""
    return failure.unless == RETRYABLE and not failure.fatal
