"""What the MPI operator does with a changed MPIJob. Nothing compares it with the former version: it has no webhook.

syncHandler, getOrCreateWorker and syncLauncherSchedulingDirectives of
https://github.com/kubeflow/mpi-operator/blob/v0.8.2/pkg/controller/mpi_job_controller.go
"""

from __future__ import annotations

import re

from trainc.plan.fields import at, count, items, listed, number
from trainc.plan.quantity import plural
from trainc.systems.mpijob.facts import LAUNCHER, WORKER
from trainc.systems.shared.changes import Change, Effect, FieldChange, Pods, scaling, suspension

_ROLES = ("spec", "mpiReplicaSpecs")
_TEMPLATE = (*_ROLES, LAUNCHER, "template")
# Of the launcher's Job, which follow when the MPIJob is resumed.
_DIRECTIVES = (
    *(("metadata", "labels"), ("metadata", "annotations")),
    *(("spec", "nodeSelector"), ("spec", "tolerations"), ("spec", "schedulingGates")),
)
# Fields that the launcher's Job and its pod have from their creation: newLauncherJob and newLauncherPodTemplate.
_OF_LAUNCHER = (
    *(("spec", "slotsPerWorker"), ("spec", "mpiImplementation"), ("spec", "sshAuthMountPath")),
    ("spec", "runLauncherAsWorker"),
    *(("spec", "runPolicy", field) for field in ("backoffLimit", "activeDeadlineSeconds", "ttlSecondsAfterFinished")),
)
_KEPT = "the operator doesn't change pods that run, nor the launcher's Job"
_RESUMED = "its launcher keeps what it was created with except for labels, annotations, nodeSelector and tolerations"
_LOST = "the launcher fails when it loses a worker"
_PROCESSES = re.compile(r"(?:^|\s)--?(?:np|n|c)[ =](\d+)\b")  # option of the launcher's command


def effect_on_mpi_job(change: Change) -> Effect:
    """Return the effect of a change of an MPIJob."""
    suspended = suspension(change)
    if suspended:
        is_pending = any(not _is_directive(each) for each in _of_launcher(change))
        reason = ", but ".join(filter(None, (suspended.reason, _RESUMED if is_pending else "")))
        return suspended.replace(is_pending=is_pending, reason=reason)
    old, new = (number(each, *_ROLES, WORKER, "replicas") or 0 for each in (change.old, change.new))
    pods: Pods = scaling(old, new)
    if pods == "removed":
        return _loss(change, new)
    is_pending = bool(_of_launcher(change) or change.below(*_ROLES, WORKER, "template") or pods != "kept")
    return Effect(pods=pods, is_pending=is_pending, reason=_KEPT if is_pending else "")


def _loss(change: Change, workers: int) -> Effect:
    """Return the effect of fewer workers. The hostfile follows, the command in the launcher's Job doesn't."""
    hosts = workers + (at(change.new, "spec", "runLauncherAsWorker") is True)
    left = hosts * count(change.new, "spec", "slotsPerWorker")
    container = next(iter(items(change.old, *_TEMPLATE, "spec", "containers")), {})
    command = " ".join(str(word) for field in ("command", "args") for word in listed(container, field))
    processes = _PROCESSES.search(command)
    if processes is None or int(processes[1]) <= left:
        return Effect(pods="removed", is_pending=True, training="restarts", reason=f"{_LOST}, and is retried")
    reason = (
        f"{_LOST}, and its retries still want {plural(int(processes[1]), 'process', 'es')} on {plural(left, 'slot')}"
    )
    return Effect(pods="removed", is_pending=True, training="fails", reason=reason)


def _of_launcher(change: Change) -> list[FieldChange]:
    return [each for path in (*_OF_LAUNCHER, (*_ROLES, LAUNCHER)) for each in change.below(*path)]


def _is_directive(field: FieldChange) -> bool:
    size = len(_TEMPLATE)
    return field.path[:size] == _TEMPLATE and field.path[size : size + 2] in _DIRECTIVES


EFFECTS = {"MPIJob": effect_on_mpi_job}
