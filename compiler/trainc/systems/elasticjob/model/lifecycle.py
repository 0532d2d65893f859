"""Failure cases of an ElasticJob.

https://github.com/pytorch/elastic/tree/bc88e69/kubernetes: UpdateJobStatus of controllers/job.go; of kubeflow/common
0b3a4c3fca85 ReconcilePods of pkg/controller.v1/common/pod.go, ReconcileJobs, pastBackoffLimit, cleanupJob and
deletePodsAndServices of job.go. Failures were observed with the operator built from its source on Kubernetes 1.36.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.plan.failures import DISRUPTION, FailureCase
from trainc.plan.fields import Object, at, mapping, number, text
from trainc.systems.shared.kubeflow.facts import RETRYABLE
from trainc.systems.shared.kubeflow.lifecycle import CLEAN_UP, CONTINUE, restart_effect

_RETRYABLE = f"{', '.join(map(str, RETRYABLE[:-1]))} or {RETRYABLE[-1]}"
_FAILS = "the ElasticJob fails"


def failure_cases(resource: Object) -> Iterator[FailureCase]:
    """Yield all cases in the order of a job's life.

    The policy is in spec.RunPolicy, because the operator does not inline it (api/v1alpha1/elasticjob_types.go).
    """
    worker, policy = mapping(resource, "spec", "replicaSpecs", "Worker"), mapping(resource, "spec", "RunPolicy")
    restart_policy = text(worker, "restartPolicy") or "Always"
    if number(worker, "replicas") == 0:
        yield FailureCase("the job is applied", "no pod starts: without workers the ElasticJob has succeeded")
        return
    yield from _failure(restart_policy, number(policy, "backoffLimit"))
    if restart_policy == "Always":
        effect = "its container is restarted: with restartPolicy Always the ElasticJob never succeeds"
        yield FailureCase("a worker has succeeded", effect)
    else:
        yield FailureCase("all workers have succeeded", "the ElasticJob has succeeded")
    left = CLEAN_UP.get(text(policy, "cleanPodPolicy"), CONTINUE)  # None is the controller's default
    yield FailureCase("the ElasticJob has failed because a worker failed", left)
    if at(policy, "ttlSecondsAfterFinished") is not None:
        effect = "the operator crashes with a nil pointer, and again after each restart"
        yield FailureCase("ttlSecondsAfterFinished applies to the failed job", effect)
    yield FailureCase("the job has finished", "the ElasticJob and its finished pods remain until they are deleted")


def _failure(restart_policy: str, limit: int | None) -> Iterator[FailureCase]:
    recreated = "a deleted pod is recreated under the same name"
    if restart_policy == "ExitCode":
        effect = "the pod is recreated under the same name, without limit"
        yield FailureCase(f"a worker exits with {_RETRYABLE}", effect)
        effect = "its pod remains failed, and the ElasticJob waits for it without limit"
        yield FailureCase("a worker exits with another code", effect)
        codes = f"a failed pod only if its program exited with {_RETRYABLE}; otherwise the ElasticJob waits"
        yield FailureCase(DISRUPTION, f"{recreated}, {codes}")
        return
    effect = _FAILS if restart_policy == "Never" else restart_effect(limit, _FAILS)
    yield FailureCase("a worker fails", effect)
    yield FailureCase(DISRUPTION, f"{recreated}; if a pod fails, {_FAILS}")
