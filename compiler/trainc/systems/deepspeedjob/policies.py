"""Fields of a DeepSpeedJob that all T9k jobs have: scheduler, run policy, run mode, restart policy.

https://github.com/t9k/user-manuals/tree/fbf6b3c/src/references/api-reference
"""

from __future__ import annotations

from trainc.ir.job import Failure, Gang, Job, RunMode
from trainc.systems.shared.t9k.facts import CLEAN_UP_POLICY, DEFAULT_QUEUE, RETRYABLE, SSHD
from trainc.typenames import Any


def scheduler(gang: Gang) -> dict[str, Any]:
    """Return `spec.scheduler`. The controller creates a PodGroup of all replicas, with this queue and priority."""
    options = {"queue": gang.queue or DEFAULT_QUEUE, "priority": gang.priority}
    return {"t9kScheduler": {name: value for name, value in options.items() if value is not None}}


def run_policy(job: Job) -> dict[str, Any]:
    """Return `spec.runPolicy`. By default unfinished pods of a finished job are deleted: the other workers run sshd,
    which never exits, and would keep their GPUs."""
    several = job.replicas.maximum > 1 and job.debug is None
    policy = job.clean_pod_policy or ("Running" if several else None)
    fields = {
        "activeDeadlineSeconds": job.failure.active_deadline_seconds,
        "backoffLimit": job.failure.backoff_limit or None,
        "cleanUpPolicy": CLEAN_UP_POLICY.get(policy, policy) if policy else None,
    }
    return {name: value for name, value in fields.items() if value is not None}


def run_mode(job: Job) -> dict[str, Any]:
    """Return `spec.runMode`; empty for a job that trains."""
    if job.debug is not None:
        default = job.debug.command == SSHD
        mode = job.debug.replace(command=()) if default else job.debug
        return {"debug": {"enabled": True, **_changes("replicaSpecs", job.role, mode)}}
    # The user changes `enabled` only: the other fields are immutable.
    changes = _changes("resumeSpecs", job.role, job.resume)
    return {"pause": {"enabled": job.paused, **changes}} if job.paused or changes else {}


def _changes(name: str, role: str, mode: RunMode | None) -> dict[str, Any]:
    """Return a list of the changes of a role's pods; empty without changes."""
    fields: dict[str, Any] = {}
    if mode is not None and mode.skip_init_containers:
        fields["skipInitContainer"] = True
    if mode is not None and mode.command:
        fields["command"] = list(mode.command)
    return {name: [{"type": role, **fields}]} if fields else {}


def restart_policy(failure: Failure) -> str | None:
    """Return the workers' policy; None for the controller's default OnFailure, which recreates a failed pod."""
    if failure.backoff_limit == 0:
        return "Never"
    return "ExitCode" if retries_operator_codes(failure) else None


def retries_operator_codes(failure: Failure) -> bool:
    """Return whether the job's rules for exit codes are those of the controller's ExitCode."""
    return failure.unless == RETRYABLE and not failure.fatal
