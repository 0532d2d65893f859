"""Pods and Services that the Torch Elastic operator creates from an ElasticJob, and failure cases.

Docstrings and comments name the functions and files that the code follows, of
https://github.com/pytorch/elastic/tree/bc88e69/kubernetes and of kubeflow/common at 0b3a4c3fca85, on which it is built.
Failures were observed with the operator built from its source on Kubernetes 1.36.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.diagnostics.finding import Finding, rejection
from trainc.plan.failures import DISRUPTION, FailureCase
from trainc.plan.fields import Object, at, items, listed, mapping, number, text
from trainc.plan.sample import EVERY_POD, Sample
from trainc.plan.world import Worker
from trainc.systems.elasticjob import facts
from trainc.systems.elasticjob.traits import TRAITS
from trainc.systems.shared.kubeflow.facts import RETRYABLE
from trainc.systems.shared.kubeflow.lifecycle import retries
from trainc.systems.shared.lifecycle import CLEAN_UP, CONTINUE, end_cases, restart_effect
from trainc.systems.shared.model import OperatorOutput, headless_service, owned_object, pod_from_template

BY = TRAITS.operator
_RETRYABLE = f"{', '.join(map(str, RETRYABLE[:-1]))} or {RETRYABLE[-1]}"
_FAILS = "the ElasticJob fails"


def operator_output(resource: Object, _: list[Object], sample: Sample = EVERY_POD) -> OperatorOutput:
    """Return the objects of an ElasticJob, pods in the order of their indexes."""
    errors = validation_errors(resource)
    if errors:
        return OperatorOutput(errors=tuple(errors))
    objects: list[Object] = []
    for index, multiplicity in sample.indexes(0, _replicas(resource)):
        objects += ({**each, "multiplicity": multiplicity} for each in _replica(resource, index))
    return OperatorOutput(objects=tuple(objects))


def validation_errors(resource: Object) -> list[Finding]:
    """Return errors of the API server's validation, and fields with which the operator fails."""
    errors, roles = [], ("spec", "replicaSpecs")
    worker, path = mapping(resource, *roles, "Worker"), (*roles, "Worker")
    if not text(resource, "spec", "rdzvEndpoint"):
        help_ = "set it to host:port of an etcd server"
        errors.append(rejection("rdzvEndpoint is missing", "spec", "rdzvEndpoint", help=help_))
    if not worker:
        other = next((role for role in mapping(resource, *roles) if str(role).lower() == "worker"), None)
        where = roles if other is None else (*roles, other)
        rename = None if other is None else ("rename", "Worker")
        errors.append(rejection("replicaSpecs has no Worker", *where, help=rename and "write `Worker`", fix=rename))
    elif number(worker, "replicas") is None:
        # computeDesiredReplicas of controllers/util.go reads it without checking that it is set
        errors.append(rejection("Worker: replicas is missing: the operator exits", *path, "replicas"))
    containers = ("template", "spec", "containers")
    names = [text(container, "name") for container in items(worker, *containers)]
    if worker and facts.CONTAINER not in names:
        # ReconcilePods of pkg/controller.v1/common/pod.go reads its exit code
        reason = f"Worker: no container is named `{facts.CONTAINER}`"
        help_ = f"name the training container `{facts.CONTAINER}`"
        fix = ("set", facts.CONTAINER) if len(names) == 1 else None
        errors.append(rejection(reason, *path, *containers, 0, "name", help=help_, fix=fix))
    least = at(resource, "spec", "minReplicas")
    if isinstance(least, int) and least < 1:
        errors.append(rejection("minReplicas must be at least 1", "spec", "minReplicas"))
    return errors


def _replicas(resource: Object) -> int:
    return number(resource, "spec", "replicaSpecs", "Worker", "replicas") or 0


def _replica(resource: Object, index: int) -> list[Object]:
    """Return a Pod and a Service of the same name: createNewPod of pkg/controller.v1/common/pod.go, CreateNewService of
    service.go."""
    job, worker = text(resource, "metadata", "name"), mapping(resource, "spec", "replicaSpecs", "Worker")
    name = f"{job}-worker-{index}"
    labels = dict(zip(facts.POD_LABELS, (facts.GROUP, job, "worker", str(index)), strict=True))
    head = owned_object(resource, BY, "Pod", name, labels)
    pod = pod_from_template(head, mapping(worker, "template"), facts.CONTAINER, on_scale_up=False)
    inner = pod["spec"]
    inner["containers"] = [_with_arguments(each, resource) for each in items(inner, "containers")]
    # setRestartPolicy of pod.go overrides the template; without a policy Kubernetes' default applies.
    policy = text(worker, "restartPolicy")
    inner["restartPolicy"] = "Never" if policy == "ExitCode" else policy or "Always"
    return [pod, headless_service(owned_object(resource, BY, "Service", name, labels), ())]


def _with_arguments(container: Object, resource: Object) -> Object:
    """Prepend the operator's arguments: SetClusterSpecForPod of controllers/pod.go. The bounds default to the number
    of workers."""
    replicas, spec = _replicas(resource), mapping(resource, "spec")
    bounds = (number(spec, "minReplicas"), number(spec, "maxReplicas"))
    low, high = (replicas if bound is None else bound for bound in bounds)
    name, endpoint = text(resource, "metadata", "name"), text(spec, "rdzvEndpoint")
    arguments = facts.injected_arguments(name, endpoint, low, high)
    return {**container, "args": [*arguments, *listed(container, "args")], "operatorArgs": list(arguments)}


def failure_cases(resource: Object, objects: list[Object], workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """Yield all cases in the order of a job's life: UpdateJobStatus of controllers/job.go; of kubeflow/common
    ReconcilePods of pkg/controller.v1/common/pod.go, ReconcileJobs, pastBackoffLimit, cleanupJob and
    deletePodsAndServices of job.go.

    The policy is in spec.RunPolicy, because the operator does not inline it (api/v1alpha1/elasticjob_types.go).
    """
    worker, policy = mapping(resource, "spec", "replicaSpecs", "Worker"), mapping(resource, "spec", "RunPolicy")
    restart_policy = text(worker, "restartPolicy") or "Always"
    if number(worker, "replicas") == 0:
        yield FailureCase("the job is applied", "no pod starts: without workers the ElasticJob has succeeded")
        return
    yield from _failure(restart_policy, policy)
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
    yield from end_cases("ElasticJob", {}, "")


def _failure(restart_policy: str, policy: Object) -> Iterator[FailureCase]:
    recreated = "a deleted pod is recreated under the same name"
    if restart_policy == "ExitCode":
        effect = "the pod is recreated under the same name, without limit"
        yield FailureCase(f"a worker exits with {_RETRYABLE}", effect)
        effect = "its pod remains failed, and the ElasticJob waits for it without limit"
        yield FailureCase("a worker exits with another code", effect)
        codes = f"a failed pod only if its program exited with {_RETRYABLE}; otherwise the ElasticJob waits"
        yield FailureCase(DISRUPTION, f"{recreated}, {codes}")
        return
    limit = retries(policy, [restart_policy])
    effect = _FAILS if restart_policy == "Never" else restart_effect(limit, _FAILS)
    yield FailureCase("a worker fails", effect)
    yield FailureCase(DISRUPTION, f"{recreated}; if a pod fails, {_FAILS}")
