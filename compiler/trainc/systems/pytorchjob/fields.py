"""Fields of a PyTorchJob by the fields of job files, and their values.

Paths are of https://github.com/kubeflow/training-operator/tree/release-1.9.
"""

from __future__ import annotations

from trainc.systems.pytorchjob import facts
from trainc.systems.shared.fields import Field, Fields, table
from trainc.typenames import TYPE_CHECKING, Any
from trainc.well_known import MAIN

if TYPE_CHECKING:
    from trainc.ir.job import Failure, Job


def _processes(job: Job) -> str:
    """Return the job's own variable, which the operator would override, or the launch's number.

    The operator's default `auto` counts CPUs without a GPU, and counts as one process in WORLD_SIZE.
    """
    own = [variable.value for variable in job.pod.env if variable.origin and variable.name == facts.PROCESSES]
    values = [value for value in own if isinstance(value, str)]
    return values[-1] if values else str(job.launch.processes_per_pod)


def _host(job: Job) -> str | None:
    """Return the host, or None if host and port are the operator's default: worker 0, and its container's port."""
    rendezvous, own = job.launch.rendezvous, job.pod.ports[0].number if job.pod.ports else None
    is_default = rendezvous.id is None or (rendezvous.host, rendezvous.port) == (f"{job.name}-worker-0", own)
    return None if is_default else rendezvous.host


def _port(job: Job) -> int | None:
    return job.launch.rendezvous.port if _host(job) else None


def _run_id(job: Job) -> str | None:
    """Return the id: the job's name if only the running pod knows it."""
    run_id = job.launch.rendezvous.id
    return run_id if run_id is None or isinstance(run_id, str) else job.name


def _conf(job: Job) -> list[dict[str, str]] | None:
    return [{"key": key, "value": value} for key, value in job.launch.rendezvous.conf.items()] or None


def _metrics(job: Job) -> list[dict[str, Any]] | None:
    return [_for_operator(metric) for metric in job.scaling.metrics] if job.scaling else None


def _for_operator(metric: dict[str, Any]) -> dict[str, Any]:
    resource = metric.get("containerResource")
    if not resource or resource.get("container") != MAIN:
        return metric
    return {**metric, "containerResource": {**resource, "container": facts.CONTAINER}}


def _backoff_limit(job: Job) -> int | None:
    """Return the limit. Only restarts of containers in their pods count: PastBackoffLimit of pkg/core/job.go."""
    return job.failure.backoff_limit if restart_policy(job.failure) is None else None


def _gang(job: Job) -> dict[str, Any] | None:
    if job.gang is None:
        return None
    priority = job.pod.placement.priority_class_name if job.gang.scheduler == "volcano" else None
    group = {"minAvailable": job.gang.minimum, "queue": job.gang.queue, "priorityClass": priority}
    return {name: value for name, value in group.items() if value is not None}


def restart_policy(failure: Failure) -> str | None:
    """Return the policy of a role; None for the operator's default OnFailure, which restarts containers in their pods
    and replaces evicted pods. Never ends the job with the first failure, ExitCode with one that is not a signal's."""
    if failure.restart_policy == "OnFailure":
        return None
    if failure.backoff_limit == 0:
        return "Never"
    return "ExitCode" if retries_signals_only(failure) else failure.restart_policy


def retries_signals_only(failure: Failure) -> bool:
    """Return whether the job's rules for exit codes are the operator's ExitCode: pkg/util/train/train_util.go."""
    return failure.fatal == tuple(range(1, facts.FIRST_RETRYABLE)) and not failure.unless


# Names in the spec.
PROCESSES, ELASTIC_POLICY, RUN_POLICY, ROLES = "nprocPerNode", "elasticPolicy", "runPolicy", "pytorchReplicaSpecs"
# Running pods of a finished job are deleted, as those of a Job are: the operator's default keeps and restarts them.
_SECTIONS: dict[str, Fields] = {
    "spec": {
        "launch.torchrun.nprocPerNode": Field(PROCESSES, write=_processes),
        "launch.torchrun.rendezvous": Field(ELASTIC_POLICY),
        "elastic": Field(ELASTIC_POLICY),
    },
    f"spec.{ELASTIC_POLICY}": {  # of an elastic job: with it any worker's success is the job's, even if others fail
        "elastic.minReplicas": Field("minReplicas", "integer", "replicas.minimum"),
        "elastic.maxReplicas": Field("maxReplicas", "integer", "replicas.maximum"),
        "launch.torchrun.rendezvous.backend": Field("rdzvBackend", "string", "launch.rendezvous.backend"),
        "launch.torchrun.rendezvous.endpoint": Field("rdzvHost", "string", _host),
        "launch.torchrun.rendezvous.port": Field("rdzvPort", "number", _port),
        "launch.torchrun.rendezvous.id": Field("rdzvId", "string", _run_id),
        "launch.torchrun.rendezvous.conf": Field("rdzvConf", write=_conf),
        "launch.torchrun.maxRestarts": Field("maxRestarts", "number", "launch.max_restarts"),
        "elastic.metrics": Field("metrics", write=_metrics),
    },
    f"spec.{RUN_POLICY}": {
        "mode": Field("suspend", write="paused", default=False),
        "lifecycle.cleanPodPolicy": Field("cleanPodPolicy", write=lambda job: job.clean_pod_policy or "Running"),
        "lifecycle.backoffLimit": Field("backoffLimit", "consume", _backoff_limit),
        "lifecycle.activeDeadlineSeconds": Field("activeDeadlineSeconds", "consume", "failure.active_deadline_seconds"),
        "lifecycle.ttlSecondsAfterFinished": Field("ttlSecondsAfterFinished", "consume", "ttl_seconds_after_finished"),
        "scheduling.gang": Field("schedulingPolicy", write=_gang),
    },
    f"spec.{ROLES}.{facts.WORKER}": {
        "workers": Field("replicas"),
        "lifecycle.restartPolicy": Field("restartPolicy"),
    },
}
FIELDS = table(_SECTIONS)
