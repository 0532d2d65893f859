"""What follows a failure, a success and the end of a PyTorchJob.

https://github.com/kubeflow/training-operator/tree/release-1.9: ReconcilePods of pkg/controller.v1/common/pod.go,
ReconcileJobs and DeletePodsAndServices of job.go, UpdateJobStatus of pytorch/pytorchjob_controller.go,
PastBackoffLimit of pkg/core/job.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.plan.duration import duration
from trainc.plan.failure_case import DISRUPTION, FailureCase, autoscaler_metrics
from trainc.plan.fields import Object, at, mapping, number, text
from trainc.systems.pytorchjob.facts import MANAGER, MASTER, WORKER
from trainc.systems.pytorchjob.model.defaults import Job, defaulted

_WHO = {MASTER: "the Master", WORKER: "a worker"}
_PAUSES = "after ever longer pauses up to 5 min"


def failure_cases(resource: Object) -> Iterator[FailureCase]:
    """In the order in which a person asks: the start, failures, the end, what is left."""
    job, policy = defaulted(resource), mapping(resource, "spec", "runPolicy")
    yield from _start(job, policy)
    limit = number(policy, "backoffLimit")
    kinds = {role: text(given, "restartPolicy") for role, given in job.roles.items()}
    same = len(set(kinds.values())) == 1
    for role, kind in list(kinds.items())[: 1 if same else None]:
        yield from _failure("a worker" if same else _WHO[role], kind, limit)
    yield from _success(job, policy, kinds)
    yield from _end(policy)


def _start(job: Job, policy: Object) -> Iterator[FailureCase]:
    if at(policy, "suspend") is True:
        then = "nothing starts: the PyTorchJob is suspended until spec.runPolicy.suspend is false"
        yield FailureCase("it is applied", then)
    manager = text(policy, "managedBy")
    if manager not in ("", MANAGER):
        yield FailureCase("it is applied", f"the operator here leaves it to {manager}")
    if at(policy, "schedulingPolicy") is not None:
        least = number(policy, "schedulingPolicy", "minAvailable")
        then = "none starts: they start together, if the operator runs with --gang-scheduler-name"
        yield FailureCase(f"there is room for fewer than {job.total if least is None else least} pods", then)
    if MASTER in job.roles and WORKER in job.roles:
        # 100 times of looking for the name, with 2 s between
        then = "their container init-pytorch fails, which is as if they had"
        yield FailureCase("the Master isn't ready when the workers have waited some 200 s", then)
    if job.scaled:
        yield FailureCase(
            "the load changes",
            f"the autoscaler changes the number of workers: {autoscaler_metrics(job.policy)}",
        )


def _failure(who: str, kind: str, limit: int | None) -> Iterator[FailureCase]:
    fails = "the PyTorchJob fails"
    if kind == "Never":
        yield FailureCase(f"{who} fails", fails)
        yield FailureCase(DISRUPTION if who == "a worker" else f"{who} is evicted", fails)
        return
    again = "the pod is made again under its name"
    if kind == "ExitCode":
        # Containers are never started again in such pods, so that their restarts never reach a backoffLimit.
        signal = fails if limit == 0 else f"{again}, for ever"
        yield FailureCase(f"{who} exits with 128 or more, as by a signal", signal)
        yield FailureCase(f"{who} exits with 1 to 127", fails)
        again = f"{again}, if its program ended with 128 or more; else the PyTorchJob fails"
    else:
        then = f"its container is started again, {_PAUSES}"
        if limit is None:
            then += ", for ever"
        elif limit in (0, 1):
            then = f"its container is started again, upon which {fails}"
        else:
            then += f"; after {limit} such starts in all running pods {fails}"
        yield FailureCase(f"{who} fails", then)
    if who == "a worker":
        yield FailureCase(DISRUPTION, fails if limit == 0 else again)


def _success(job: Job, policy: Object, kinds: dict[str, str]) -> Iterator[FailureCase]:
    clean = {"Running": "pods that still run or wait are deleted", "All": "its pods are deleted, with their logs"}
    left = clean.get(text(policy, "cleanPodPolicy"), "pods that still run go on")
    done = f"the PyTorchJob has succeeded; {left}"
    decides = MASTER if MASTER in job.roles else WORKER
    if kinds[decides] == "Always":
        then = "its container is started again: with restartPolicy Always the PyTorchJob never succeeds"
        yield FailureCase(f"{_WHO[decides]} has succeeded", then)
    elif decides == MASTER:
        yield FailureCase("the Master has succeeded", done)
        if WORKER in job.roles:
            yield FailureCase("a worker has succeeded", "its pod is completed; it is the Master that decides")
    elif job.policy is not None:
        yield FailureCase("any worker has succeeded", done)
    else:
        yield FailureCase("all workers have succeeded", done.partition(";")[0] if "still" in left else done)
    yield FailureCase("the PyTorchJob has failed by a worker's failure", left)


def _end(policy: Object) -> Iterator[FailureCase]:
    limit = number(policy, "activeDeadlineSeconds")
    if limit is not None:
        yield FailureCase(f"it has run for {duration(limit)}", "the PyTorchJob fails, and all its pods are deleted")
    ttl = number(policy, "ttlSecondsAfterFinished")
    if ttl is None:
        then = "the PyTorchJob and its finished pods stay until somebody deletes them"
        yield FailureCase("it has ended", then)
    else:
        when = "it has ended" if ttl == 0 else f"it has ended {duration(ttl)} ago"
        yield FailureCase(when, "the PyTorchJob, its pods and their logs are deleted")
