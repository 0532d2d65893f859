"""Translate the Job and the JobSet of a runtime to `lifecycle`, and what follows for the job's mode and gang.

https://jobset.sigs.k8s.io/docs/concepts/
"""

from __future__ import annotations

from typing import Any

from trainc.source.node import Scalar, scalar_text
from trainc.span import Text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.tree import child
from trainc.systems.trainjob.facts import MANAGER

_JOB_FIELDS = ("backoffLimit", "backoffLimitPerIndex", "activeDeadlineSeconds")
_SET_BY_TRAINER = ("parallelism", "completions", "completionMode", "maxFailedIndexes")
DEFAULT_BACKOFF_LIMIT = 6  # of a Job


def translate_lifecycle(spec: ForeignMapping, job_set: ForeignMapping, job: ForeignMapping) -> dict[str, Any]:
    """Return the fields. `job_set` and `job` are the specs of the runtime's JobSet and of its Job that trains."""
    fields: dict[str, Any] = {job.key(name): job.consume(name) for name in _JOB_FIELDS}
    job.ignore(*_SET_BY_TRAINER)
    fields |= _restart_policy(job)
    deadline = spec.consume("activeDeadlineSeconds")
    if deadline is not None:
        fields = {name: value for name, value in fields.items() if name != "activeDeadlineSeconds"}
        fields[spec.key("activeDeadlineSeconds")] = deadline
    fields[job_set.key("ttlSecondsAfterFinished")] = job_set.consume("ttlSecondsAfterFinished")
    fields |= _failure_policy(job_set, job)
    _report_network(job_set)
    return fields


def _restart_policy(job: ForeignMapping) -> dict[str, Any]:
    """Return how a failed worker is restarted; JobSet's webhook sets OnFailure where the runtime has nothing."""
    policy = child(job.node, "template", "spec", "restartPolicy")
    if scalar_text(policy) == "Never":
        return {}
    where = policy.span if policy is not None else job.node.span.first
    fields: dict[str, Any] = {"restartPolicy": Scalar("OnFailure", "OnFailure", where)}
    if "backoffLimit" not in job:
        fields["backoffLimit"] = Scalar(DEFAULT_BACKOFF_LIMIT, str(DEFAULT_BACKOFF_LIMIT), where)
    return fields


def _failure_policy(job_set: ForeignMapping, job: ForeignMapping) -> dict[str, Any]:
    """Return the restarts of the whole set as the limit, if a Job that fails once is started again with all pods."""
    policy = job_set.section("failurePolicy")
    if policy is None:
        return {}
    restarts = policy.consume("maxRestarts")
    if restarts is None or scalar_text(job.node.get("backoffLimit")) != "0":
        if restarts is not None:
            why = "trainc restarts the whole set only if its Job has `backoffLimit: 0`"
            policy.report.add_dropped(policy.path_of("maxRestarts"), policy.where("maxRestarts"), why)
        return {}
    policy.report.add_change("the restarts of the whole set become `backoffLimit`", policy.where("maxRestarts"))
    return {Text("backoffLimit", policy.where("maxRestarts")): restarts}


def _report_network(job_set: ForeignMapping) -> None:
    """Names and addresses of the workers are trainc's own."""
    network = job_set.section("network")
    if network is not None:
        network.ignore("enableDNSHostnames", "publishNotReadyAddresses")
    success = job_set.section("successPolicy")
    if success is not None and scalar_text(success.node.get("operator")) == "All":
        success.ignore("operator", "targetReplicatedJobs")
    startup = job_set.section("startupPolicy")
    if startup is not None:  # of a single replicated job
        startup.ignore("startupPolicyOrder")


def translate_mode(spec: ForeignMapping, queued: bool) -> str | None:
    """Return `mode`."""
    manager = spec.string("managedBy")
    if manager not in (None, MANAGER):
        spec.report.add_dropped(spec.path_of("managedBy"), spec.where("managedBy"), "trainc never sets it")
    paused = spec.boolean("suspend")
    if paused and queued:
        message = "`suspend` is left out: Kueue suspends a queued job and resumes it when quota is available"
        spec.report.add_change(message, spec.where("suspend"))
    return "paused" if paused and not queued else None


def translate_gang(runtime_spec: ForeignMapping, placement: dict[str, Any]) -> dict[str, Any]:
    """Return the gang scheduler of the runtime's podGroupPolicy."""
    policy = runtime_spec.section("podGroupPolicy")
    if policy is None:
        return {}
    for scheduler in ("coscheduling", "volcano"):
        if scheduler in policy:
            policy.section(scheduler)
            implied = {"schedulerName": None} if scalar_text(placement.get("schedulerName")) == scheduler else {}
            return {Text("gang", policy.where(scheduler)): scheduler, **implied}
    return {}
