"""Objects that KubeRay 1.5 creates from a RayJob: RayCluster, pods, Services of the head; failure cases.

Docstrings name the functions that the code follows, of
https://github.com/ray-project/kuberay/tree/v1.5.0/ray-operator/controllers/ray; cases follow Reconcile of
rayjob_controller.go, and shouldDeletePod and reconcilePods of raycluster_controller.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.plan.expand import placeholder
from trainc.plan.failures import LOST_POD, RESTARTED, FailureCase, duration, suspended_case, times
from trainc.plan.fields import Object, at, items, mapping, number, text
from trainc.plan.sample import EVERY_POD, Sample
from trainc.plan.world import Worker
from trainc.systems.rayjob import facts
from trainc.systems.rayjob.model.pod import Node, node_pod
from trainc.systems.rayjob.model.submission import submitter_job
from trainc.systems.rayjob.model.validation import validation_errors
from trainc.systems.rayjob.traits import TRAITS
from trainc.systems.shared.model import OperatorOutput, owned_object

BY = TRAITS.operator


def operator_output(resource: Object, _: list[Object], sample: Sample = EVERY_POD) -> OperatorOutput:
    """Return the objects of a RayJob, the head's pod first: getOrCreateRayClusterInstance of rayjob_controller.go and
    reconcilePods of raycluster_controller.go."""
    errors = tuple(validation_errors(resource))
    spec = mapping(resource, "spec")
    if errors or not mapping(spec, "rayClusterSpec"):  # with a clusterSelector the cluster is there
        return OperatorOutput(errors=errors)
    cluster = _cluster(resource)
    objects: list[Object] = [cluster, node_pod(resource, cluster, Node(is_head=True))]
    for group in items(spec, "rayClusterSpec", "workerGroupSpecs"):
        for index, multiplicity in sample.indexes(0, replicas(group)):
            node = Node(is_head=False, group=group, index=index)
            objects.append({**node_pod(resource, cluster, node), "multiplicity": multiplicity})
    name = text(cluster, "metadata", "name")
    objects.append(_service(resource, cluster, cluster, f"{name}-head-svc"))
    objects.append(_service(resource, cluster, resource, f"{text(resource, 'metadata', 'name')}-head-svc"))
    objects += submitter_job(resource, cluster)
    return OperatorOutput(objects=tuple(objects))


def replicas(group: Object) -> int:
    """Return the number of pods of a group: GetWorkerGroupDesiredReplicas of utils/util.go."""
    if at(group, "suspend") is True:
        return 0
    count, low, high = (number(group, field) for field in ("replicas", "minReplicas", "maxReplicas"))
    low = low or 0
    count = low if count is None else max(count, low)
    count = count if high is None else min(count, high)
    return count * (number(group, "numOfHosts") or 1)


def _cluster(resource: Object) -> Object:
    """Return the RayCluster: constructRayClusterForRayJob, GenerateRayClusterName of utils/util.go."""
    name = text(resource, "metadata", "name")
    labels = {**mapping(resource, "metadata", "labels"), facts.JOB_LABEL: name, facts.JOB_KIND_LABEL: "RayJob"}
    api_version = text(resource, "apiVersion")
    head = owned_object(resource, BY, "RayCluster", f"{name}-{placeholder('random')}", labels, api_version)
    head["metadata"]["annotations"] = mapping(resource, "metadata", "annotations")
    return {**head, "spec": mapping(resource, "spec", "rayClusterSpec")}


def _service(resource: Object, cluster: Object, owner: Object, name: str) -> Object:
    """Return the Service of the head: BuildServiceForHeadPod of common/service.go, and for the RayJob, which creates
    it once the program runs, BuildHeadServiceForRayJob of common/job.go."""
    own = text(cluster, "metadata", "name")
    selector = {
        facts.CLUSTER_LABEL: own,
        facts.NODE_TYPE_LABEL: facts.HEAD,
        facts.ID_LABEL: f"{own}-head",
        facts.NAME_LABEL: facts.APPLICATION,
        facts.CREATED_BY_LABEL: facts.COMPONENT,
    }
    own_labels = mapping(cluster, "spec", "headGroupSpec", "template", "metadata", "labels")
    if owner is not resource:  # reconcileHeadService passes this label of the template
        selector[facts.NAME_LABEL] = own_labels.get(facts.NAME_LABEL, facts.APPLICATION)
    labels = selector
    if owner is resource:
        job = text(resource, "metadata", "name")
        labels = {facts.JOB_LABEL: job, facts.JOB_KIND_LABEL: "RayJob", facts.NODE_TYPE_LABEL: facts.HEAD}
        labels[facts.ID_LABEL] = f"{job}-head"
    head = owned_object(owner, BY, "Service", name, labels)
    group = mapping(cluster, "spec", "headGroupSpec")
    spec: Object = {"selector": selector, "ports": [_port(*each) for each in _ports(group)]}
    if text(group, "serviceType") in ("", "ClusterIP"):
        spec = {**spec, "clusterIP": "None", "publishNotReadyAddresses": True}
    else:
        spec["type"] = text(group, "serviceType")
    return {**head, "spec": spec}


def _port(name: str, port: int) -> Object:
    return {"name": name, "port": port, "appProtocol": "tcp"}


def _ports(group: Object) -> list[tuple[str, int]]:
    """Return the ports of the head's container, by default Ray's: getServicePorts of common/service.go."""
    first = next(iter(items(group, "template", "spec", "containers")), {})
    ports = {text(each, "name"): number(each, "containerPort") or 0 for each in items(first, "ports")}
    defaults = {
        facts.CLIENT_PORT_NAME: facts.CLIENT_PORT,
        facts.GCS_PORT_NAME: facts.GCS_PORT,
        facts.DASHBOARD_PORT_NAME: facts.DASHBOARD_PORT,
        facts.METRICS_PORT_NAME: facts.METRICS_PORT,
        "serve": 8000,
    }
    ports = ports or defaults
    ports.setdefault(facts.METRICS_PORT_NAME, facts.METRICS_PORT)
    return sorted(ports.items())


def failure_cases(resource: Object, objects: list[Object], workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """Yield all cases in the order of a job's life."""
    spec = mapping(resource, "spec")
    yield from suspended_case(resource)
    mode = text(spec, "submissionMode") or facts.K8S_JOB
    if mode == facts.INTERACTIVE:
        yield FailureCase("all pods are ready", "KubeRay waits for a program that you submit")
    else:
        by = "the submitter's pod" if mode == facts.K8S_JOB else "a container of the head"
        by = "KubeRay" if mode == facts.HTTP else by
        yield FailureCase("all pods are ready", f"{by} submits the program to the head, which runs it")
        limit = number(spec, "backoffLimit") or 0
        again = f"all pods are created anew, up to {times(limit)}; then " if limit else ""
        yield FailureCase("the program fails", f"{again}the RayJob fails")
    yield from _lost_pods(spec, mode, has_workers=len(workers) > 1)
    deadline = number(spec, "activeDeadlineSeconds")
    if deadline is not None:
        end = "the RayJob fails, without a further one"
        end += ", unless it waits for a program" if mode == facts.INTERACTIVE else ""
        yield FailureCase(f"an attempt has run for {duration(deadline)}", end)
    if mode != facts.INTERACTIVE:
        yield FailureCase("the program has succeeded", "the RayJob has succeeded")
    left = number(spec, "ttlSecondsAfterFinished") or 0
    subject = f"the pods keep their GPUs for {duration(left)}, then they" if left else "the pods"
    end = f"{subject} are deleted, with their logs; the RayJob remains"
    shuts_down = at(spec, "shutdownAfterJobFinishes") is True
    yield FailureCase("the job has finished", end if shuts_down else "all pods run on, with their GPUs")


def _lost_pods(spec: Object, mode: str, has_workers: bool) -> Iterator[FailureCase]:
    """Yield the cases of pods that fail or are deleted once all were ready.

    A worker's pod is created anew, the head's is not.
    """
    cluster = mapping(spec, "rayClusterSpec")
    if has_workers:
        effect = "its pod is created anew" if _never_restarts(items(cluster, "workerGroupSpecs")[0]) else RESTARTED
        tasks = "Ray runs its tasks again on the others, and the program sees its actors as dead"
        yield FailureCase("a worker fails", f"{effect} and joins the cluster; {tasks}")
    loss = _loss_of_head(spec, mode)
    if mode == facts.SIDECAR or _never_restarts(mapping(cluster, "headGroupSpec")):
        yield FailureCase("the head fails", f"its pod is not created anew: {loss}")
    elif mode != facts.INTERACTIVE:
        by = "KubeRay" if mode == facts.HTTP else "the submitter's retry"
        again = f"{by} submits the program again, which does not count as a failure"
        yield FailureCase("the head fails", f"{RESTARTED}; the cluster starts without the program's state; {again}")
    pods = "a worker's pod is created anew, the head's is not" if has_workers else "the head's pod is not created anew"
    yield FailureCase(LOST_POD, f"{pods}: {loss}")


def _never_restarts(group: Object) -> bool:
    return text(group, "template", "spec", "restartPolicy") == "Never"


def _loss_of_head(spec: Object, mode: str) -> str:
    """Return what follows: checkSubmitterAndUpdateStatusIfNeeded, and GetJobInfo in Reconcile, whose errors are retried
    without limit."""
    if mode == facts.K8S_JOB:
        return "the submitter's retries fail, which counts as a failure of the program"
    if mode == facts.SIDECAR:
        return "this counts as a failure of the program"
    deadline = number(spec, "activeDeadlineSeconds")
    is_limited = deadline is not None and mode == facts.HTTP
    end = f"until its deadline of {duration(deadline or 0)}" if is_limited else "until you delete it"
    return f"the RayJob stays {'Running' if mode == facts.HTTP else 'Waiting'}, and the pods keep their GPUs, {end}"
