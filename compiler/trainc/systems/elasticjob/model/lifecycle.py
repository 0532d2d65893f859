"""What follows a failure, a success and the end of an ElasticJob.

https://github.com/pytorch/elastic/tree/bc88e69/kubernetes: UpdateJobStatus of controllers/job.go; of kubeflow/common
0b3a4c3fca85 ReconcilePods of pkg/controller.v1/common/pod.go, ReconcileJobs, pastBackoffLimit, cleanupJob of job.go.
What follows failures was seen of the operator itself, built from its source, on a Kubernetes 1.36.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.plan.failure_case import DISRUPTION, FailureCase
from trainc.plan.fields import Object, at, mapping, number, text
from trainc.systems.shared.kubeflow.facts import RETRYABLE

_RETRYABLE = f"{', '.join(map(str, RETRYABLE[:-1]))} or {RETRYABLE[-1]}"
_PAUSES = "after ever longer pauses up to 5 min"
_FAILS = "the ElasticJob fails"


def failure_cases(resource: Object) -> Iterator[FailureCase]:
    """In the order in which a person asks: failures, the end, what is left.

    The policy is in spec.RunPolicy, which the operator doesn't inline (api/v1alpha1/elasticjob_types.go).
    """
    worker, policy = mapping(resource, "spec", "replicaSpecs", "Worker"), mapping(resource, "spec", "RunPolicy")
    kind = text(worker, "restartPolicy") or "Always"
    if number(worker, "replicas") == 0:
        yield FailureCase("it is applied", "nothing starts: without workers the ElasticJob has succeeded")
        return
    yield from _failure(kind, number(policy, "backoffLimit"))
    left = _left(text(policy, "cleanPodPolicy"))
    if kind == "Always":
        then = "its container is started again: with restartPolicy Always the ElasticJob never succeeds"
        yield FailureCase("a worker has succeeded", then)
    else:
        yield FailureCase("all workers have succeeded", "the ElasticJob has succeeded")
    yield FailureCase("the ElasticJob has failed by a worker's failure", left)
    if at(policy, "ttlSecondsAfterFinished") is not None:
        then = "the operator ends with a nil pointer, and again whenever it is started"
        yield FailureCase("it has failed and is to be deleted after a time", then)
    then = "the ElasticJob and its finished pods stay until somebody deletes them"
    yield FailureCase("it has ended", then)


def _failure(kind: str, limit: int | None) -> Iterator[FailureCase]:
    if kind == "Never":
        yield FailureCase("a worker fails", _FAILS)
    elif kind == "ExitCode":
        yield FailureCase(f"a worker exits with {_RETRYABLE}", "the pod is made again under its name, for ever")
        yield FailureCase("a worker exits with another code", "its pod stays failed, and the ElasticJob waits for ever")
    else:
        then = f"its container is started again, {_PAUSES}"
        if limit is None:
            then += ", for ever"
        elif limit in (0, 1):
            then = f"its container is started again, upon which {_FAILS}"
        else:
            then += f"; after {limit} such starts in all running pods {_FAILS}"
        yield FailureCase("a worker fails", then)
    again = "a pod that is deleted is made again under its name"
    failed = "if its program ended by such a signal, and else is waited for for ever" if kind == "ExitCode" else ""
    then = f"{again}; one that fails with its node is, too, {failed}" if failed else f"{again}; if it fails, {_FAILS}"
    yield FailureCase(DISRUPTION, then)


def _left(policy: str) -> str:
    """deletePodsAndServices of job.go; None is the controller's own default."""
    return {"Running": "pods that still run are deleted", "All": "its pods are deleted, with their logs"}.get(
        policy, "pods that still run go on"
    )
