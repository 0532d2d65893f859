"""Failure cases of a PyTorchJob.

https://github.com/kubeflow/training-operator/tree/release-1.9: ReconcilePods of pkg/controller.v1/common/pod.go,
ReconcileJobs and DeletePodsAndServices of job.go, UpdateJobStatus of pytorch/pytorchjob_controller.go,
PastBackoffLimit of pkg/core/job.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.plan.failures import DISRUPTION, FailureCase, autoscaler_metrics
from trainc.plan.fields import Object, at, mapping, number, text
from trainc.plan.world import Worker
from trainc.systems.pytorchjob.facts import INIT_CONTAINER, MANAGER, MASTER, WORKER
from trainc.systems.pytorchjob.model.defaults import Job, apply_defaults
from trainc.systems.shared.lifecycle import CLEAN_UP, CONTINUE, end_cases, restart_effect

_NAMES = {MASTER: "the Master", WORKER: "a worker"}
_FAILS = "the PyTorchJob fails"


def failure_cases(resource: Object, objects: list[Object], workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """Yield all cases in the order of a job's life."""
    job, policy = apply_defaults(resource), mapping(resource, "spec", "runPolicy")
    yield from _start(job, policy)
    limit = number(policy, "backoffLimit")
    policies = {role: text(spec, "restartPolicy") for role, spec in job.roles.items()}
    is_shared = len(set(policies.values())) == 1
    for role, restart_policy in list(policies.items())[: 1 if is_shared else None]:
        yield from _failure("a worker" if is_shared else _NAMES[role], restart_policy, limit)
    yield from _success(job, policy, policies)
    yield from end_cases("PyTorchJob", policy, "the PyTorchJob fails, and all its pods are deleted")


def _start(job: Job, policy: Object) -> Iterator[FailureCase]:
    if at(policy, "suspend") is True:
        effect = "no pod starts: the PyTorchJob is suspended until spec.runPolicy.suspend is false"
        yield FailureCase("the job is applied", effect)
    manager = text(policy, "managedBy")
    if manager not in ("", MANAGER):
        yield FailureCase("the job is applied", f"the training operator ignores it: it is managed by {manager}")
    if at(policy, "schedulingPolicy") is not None:
        least = number(policy, "schedulingPolicy", "minAvailable")
        effect = "no pod starts: they are gang-scheduled, if the operator runs with --gang-scheduler-name"
        yield FailureCase(f"fewer than {job.total if least is None else least} pods can be scheduled", effect)
    if MASTER in job.roles and WORKER in job.roles:
        # 100 lookups of the name, with 2 s between them
        effect = f"their init container {INIT_CONTAINER} fails, which counts like a failure of the workers"
        yield FailureCase("the Master is not ready after the workers have waited 200 s", effect)
    if job.scaled:
        metrics = autoscaler_metrics(job.policy)
        yield FailureCase("the load changes", f"the autoscaler changes the number of workers: {metrics}")


def _failure(who: str, restart_policy: str, limit: int | None) -> Iterator[FailureCase]:
    if restart_policy == "Never":
        yield FailureCase(f"{who} fails", _FAILS)
        yield FailureCase(DISRUPTION if who == "a worker" else f"{who} is evicted", _FAILS)
        return
    recreated = "the pod is recreated under the same name"
    if restart_policy == "ExitCode":
        # The kubelet never restarts a container of such a pod, so no restarts count against the backoffLimit.
        on_signal = _FAILS if limit == 0 else f"{recreated}, without limit"
        yield FailureCase(f"{who} exits with 128 or more, as after a signal", on_signal)
        yield FailureCase(f"{who} exits with 1 to 127", _FAILS)
        recreated = f"{recreated} if its program exited with 128 or more; otherwise {_FAILS}"
    else:
        yield FailureCase(f"{who} fails", restart_effect(limit, _FAILS))
    if who == "a worker":
        yield FailureCase(DISRUPTION, _FAILS if limit == 0 else recreated)


def _success(job: Job, policy: Object, policies: dict[str, str]) -> Iterator[FailureCase]:
    cleaned = {**CLEAN_UP, "Running": "running and pending pods are deleted"}
    left = cleaned.get(text(policy, "cleanPodPolicy"), CONTINUE)
    succeeded = "the PyTorchJob has succeeded"
    leader = MASTER if MASTER in job.roles else WORKER
    if policies[leader] == "Always":
        effect = "its container is restarted: with restartPolicy Always the PyTorchJob never succeeds"
        yield FailureCase(f"{_NAMES[leader]} has succeeded", effect)
    elif leader == MASTER:
        yield FailureCase("the Master has succeeded", f"{succeeded}; {left}")
        if WORKER in job.roles:
            yield FailureCase("a worker has succeeded", "its pod is completed; the job's success depends on the Master")
    elif job.policy is not None:
        yield FailureCase("any worker has succeeded", f"{succeeded}; {left}")
    else:
        all_deleted = left == CLEAN_UP["All"]
        yield FailureCase("all workers have succeeded", f"{succeeded}; {left}" if all_deleted else succeeded)
    yield FailureCase("the PyTorchJob has failed because a worker failed", left)
