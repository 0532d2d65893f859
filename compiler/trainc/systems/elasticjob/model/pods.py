"""What the Torch Elastic operator makes of an ElasticJob: pods, and a Service for each.

Functions are named after those of https://github.com/pytorch/elastic/tree/bc88e69/kubernetes, and of kubeflow/common at
0b3a4c3fca85, which it is built on, in the files that the comments name.
"""

from __future__ import annotations

from trainc.plan.fields import Object, at, items, listed, mapping, number, text
from trainc.plan.pods import MAX_PODS
from trainc.systems.elasticjob.arguments import injected
from trainc.systems.elasticjob.facts import CONTAINER, GROUP, GROUP_LABEL, INDEX_LABEL, JOB_LABEL, TYPE_LABEL
from trainc.systems.elasticjob.traits import TRAITS
from trainc.systems.shared.model.shapes import OperatorOutput, headless, owned, pod

BY = TRAITS.operator


def operator_output(resource: Object, _: list[Object]) -> OperatorOutput:
    """The objects of an ElasticJob, pods in the order of their numbers."""
    wrong = refused(resource)
    if wrong:
        return OperatorOutput(errors=tuple(wrong))
    found: list[Object] = []
    for index in range(min(_replicas(resource), MAX_PODS)):
        found += _replica(resource, index)
    return OperatorOutput(objects=tuple(found))


def refused(resource: Object) -> list[str]:
    """What the API server refuses by the definition, and that at which the operator fails."""
    found, worker = [], mapping(resource, "spec", "replicaSpecs", "Worker")
    if not text(resource, "spec", "rdzvEndpoint"):
        found.append("it has no rdzvEndpoint")
    if not worker:
        found.append("its replicaSpecs have no Worker")
    elif number(worker, "replicas") is None:
        # computeDesiredReplicas of controllers/util.go, which takes what isn't there for a number
        found.append("Worker: it has no replicas, at which the operator ends")
    if worker and not any(text(one, "name") == CONTAINER for one in items(worker, "template", "spec", "containers")):
        # ReconcilePods of pkg/controller.v1/common/pod.go looks for its exit code
        found.append(f"Worker: none of its containers is called {CONTAINER}")
    least = at(resource, "spec", "minReplicas")
    if isinstance(least, int) and least < 1:
        found.append("its minReplicas must be at least 1")
    return found


def _replicas(resource: Object) -> int:
    return number(resource, "spec", "replicaSpecs", "Worker", "replicas") or 0


def _replica(resource: Object, index: int) -> list[Object]:
    """createNewPod of pkg/controller.v1/common/pod.go and CreateNewService of service.go: one of each, of one name."""
    job, worker = text(resource, "metadata", "name"), mapping(resource, "spec", "replicaSpecs", "Worker")
    name = f"{job}-worker-{index}"
    labels = {GROUP_LABEL: GROUP, JOB_LABEL: job, TYPE_LABEL: "worker", INDEX_LABEL: str(index)}
    made_pod = pod(owned(resource, BY, "Pod", name, labels), mapping(worker, "template"), CONTAINER, late=False)
    inner = made_pod["spec"]
    inner["containers"] = [_with_arguments(one, resource) for one in items(inner, "containers")]
    # setRestartPolicy of pod.go: whatever the template says; without one it is Kubernetes' own default.
    policy = text(worker, "restartPolicy")
    inner["restartPolicy"] = "Never" if policy == "ExitCode" else policy or "Always"
    return [made_pod, headless(owned(resource, BY, "Service", name, labels), ())]


def _with_arguments(container: Object, resource: Object) -> Object:
    """SetClusterSpecForPod of controllers/pod.go. The bounds are the number of workers where they are not given."""
    replicas, spec = _replicas(resource), mapping(resource, "spec")
    low, high = number(spec, "minReplicas"), number(spec, "maxReplicas")
    told = injected(
        text(resource, "metadata", "name"),
        text(spec, "rdzvEndpoint"),
        replicas if low is None else low,
        replicas if high is None else high,
    )
    return {**container, "args": [*told, *listed(container, "args")], "operatorArgs": list(told)}
