"""Fields that T9k's jobs share, by the fields of job files, their values, and constants of T9k.

https://github.com/t9k/user-manuals/tree/fbf6b3c/src/references/api-reference
"""

from __future__ import annotations

from trainc.systems.shared.facts import GANG_SCHEDULERS
from trainc.systems.shared.fields import Field, Fields, table
from trainc.systems.shared.kubeflow import facts as kubeflow
from trainc.typenames import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainc.ir.job import Job, RunMode

# modules/jobs/pytorchtrainingjob.md#重启机制 lists kubeflow/common's codes.
RETRYABLE = kubeflow.RETRYABLE
# cleanPodPolicy of a job file → cleanUpPolicy: references/api-reference/deepspeedjob.md, RunPolicy
CLEAN_UP_POLICY = {"Running": "Unfinished"}
SCHEDULER = GANG_SCHEDULERS["t9k"]
DEFAULT_QUEUE = "default"  # references/api-reference/scheduler.md, PodGroupSpec
SSHD = ("/usr/sbin/sshd", "-D")  # modules/jobs/deepspeedjob.md#调试模式: what pods run in debug mode by default


def _scheduler(job: Job) -> dict[str, Any] | None:
    """Return the scheduler. The controller creates a PodGroup of all replicas, with this queue and priority."""
    if job.gang is None:
        return None
    options = {"queue": job.gang.queue or DEFAULT_QUEUE, "priority": job.gang.priority}
    return {"t9kScheduler": {name: value for name, value in options.items() if value is not None}}


def _clean_up_policy(job: Job) -> str | None:
    """Return the policy. By default unfinished pods of a finished job are deleted: the other workers run sshd,
    which never exits, and would keep their GPUs."""
    several = job.replicas.maximum > 1 and job.debug is None
    policy = job.clean_pod_policy or ("Running" if several else None)
    return CLEAN_UP_POLICY.get(policy, policy) if policy else None


def _run_mode(job: Job) -> dict[str, Any] | None:
    """Return the mode; None for a job that trains."""
    if job.debug is not None:
        mode = job.debug.replace(command=()) if job.debug.command == SSHD else job.debug
        return {DEBUG: {"enabled": True, **_changes(DEBUGGED, job.role, mode)}}
    # The user changes `enabled` only: the other fields are immutable.
    changes = _changes(RESUMED, job.role, job.resume)
    return {PAUSE: {"enabled": job.paused, **changes}} if job.paused or changes else None


def _changes(name: str, role: str, mode: RunMode | None) -> dict[str, Any]:
    """Return a list of the changes of a role's pods; empty without changes."""
    fields: dict[str, Any] = {}
    if mode is not None and mode.skip_init_containers:
        fields["skipInitContainer"] = True
    if mode is not None and mode.command:
        fields["command"] = list(mode.command)
    return {name: [{"type": role, **fields}]} if fields else {}


def _elastic(job: Job) -> dict[str, Any] | None:
    """Return the range in which a user or the operator changes the number of workers: reference, ElasticConfig."""
    replicas = job.replicas
    if not replicas.elastic:
        return None
    return {"enabled": True, MINIMUM: replicas.minimum, MAXIMUM: replicas.maximum, EXPECTED: replicas.initial}


# Names in the spec and its sections; the modes are written after the policies.
RUN_POLICY, RUN_MODE = "runPolicy", "runMode"
DEBUG, PAUSE, DEBUGGED, RESUMED = "debug", "pause", "replicaSpecs", "resumeSpecs"
PAUSED = ("spec", RUN_MODE, PAUSE, "enabled")
MINIMUM, MAXIMUM, EXPECTED = BOUNDS = ("minReplicas", "maxReplicas", "expectedReplicas")
_POLICIES: dict[str, Fields] = {
    "spec": {
        "scheduling.gang": Field("scheduler", write=_scheduler),
    },
    f"spec.{RUN_POLICY}": {
        "lifecycle.activeDeadlineSeconds": Field("activeDeadlineSeconds", "consume", "failure.active_deadline_seconds"),
        "lifecycle.backoffLimit": Field("backoffLimit", "consume", lambda job: job.failure.backoff_limit or None),
        "lifecycle.cleanPodPolicy": Field("cleanUpPolicy", write=_clean_up_policy),
    },
}
_MODES: dict[str, Fields] = {
    "spec": {
        "mode": Field(RUN_MODE, write=_run_mode),
        "elastic": Field("elastic", write=_elastic),
    },
    f"spec.{RUN_MODE}": {"mode.paused": Field(PAUSE)},
    f"spec.{RUN_MODE}.{PAUSE}": {
        "mode.run": Field(RESUMED),
    },
}
FIELDS = table(_POLICIES) | table(_MODES)
