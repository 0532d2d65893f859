"""Pods that Kubernetes' controllers create from manifests, with their names and labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainc.plan.expand import placeholder
from trainc.plan.fields import Object, at, items, listed, mapping, number, text
from trainc.record import Record
from trainc.systems.shared.model.shapes import controllers

INDEX = "batch.kubernetes.io/job-completion-index"
MAX_PODS = 20_000  # that a plan lists


class Pod(Record):
    """Pod as in the API server. `on_scale_up` marks pods that exist only after a scale-up.

    `index` is the pod's position among those of its owner, `number` the one in its name. An operator sets
    `created_by` to its name, `training_container`, and `start_command` where one pod's command starts all processes.
    """

    name: str
    hostname: str
    subdomain: str
    namespace: str
    index: int
    number: int
    labels: dict[str, str]
    annotations: dict[str, str]
    owner: str
    spec: Object
    on_scale_up: bool = False
    training_container: str = ""
    created_by: str = ""
    start_command: tuple[str, ...] = ()


class ReplicaRange(Record):
    """Numbers of pods that a controller may have."""

    minimum: int
    initial: int
    maximum: int


def create_pods(objects: list[Object]) -> Iterator[Pod]:
    """Yield the pods of all objects; those of a controller in the order of their indexes."""
    last_index: dict[str, int] = {}
    for manifest in objects:
        kind = text(manifest, "kind")
        if kind == "Pod":
            pod = _bare_pod(manifest)
            if pod.owner:
                last_index[pod.owner] = last_index.get(pod.owner, -1) + 1
                pod = pod.replace(index=last_index[pod.owner])
            yield pod
        elif kind == "Job":
            yield from _job_pods(manifest)
        elif kind == "StatefulSet":
            yield from _statefulset_pods(manifest, objects)
        elif kind == "Deployment":
            yield from _deployment_pods(manifest)


def _bare_pod(manifest: Object) -> Pod:
    """Return a bare Pod, or one that an operator creates."""
    name = text(manifest, "metadata", "name")
    owner = next(("/".join(each) for each in controllers(manifest)), "")
    labels = mapping(manifest, "metadata", "labels")
    return _pod(manifest, mapping(manifest, "spec"), owner, name, _number(name), labels).replace(
        on_scale_up=at(manifest, "onScaleUp") is True,
        training_container=text(manifest, "trainingContainer"),
        created_by=text(manifest, "createdBy"),
        start_command=tuple(listed(manifest, "startCommand")),
    )


def _number(name: str) -> int:
    """Return the number at the end of a name, or 0."""
    last = name.rpartition("-")[2]
    return int(last) if last.isdecimal() and last.isascii() and len(last) < 10 else 0


def _job_pods(manifest: Object) -> Iterable[Pod]:
    spec = mapping(manifest, "spec")
    completions, parallelism = number(spec, "completions"), number(spec, "parallelism")
    parallelism = 1 if parallelism is None else parallelism
    for index in range(min(completions if completions is not None else parallelism, MAX_PODS)):
        yield job_pod(manifest, index).replace(on_scale_up=index >= parallelism)


def job_pod(manifest: Object, index: int) -> Pod:
    """Return the pod of one index. Names, labels and the variable: addCompletionIndexEnvVariables,
    appendJobCompletionFinalizerIfNotFound and manageJob in
    https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/controller/job/indexed_job_utils.go
    """
    spec, job = mapping(manifest, "spec"), text(manifest, "metadata", "name")
    template = mapping(spec, "template")
    labels = dict(mapping(template, "metadata", "labels"))
    annotations = dict(mapping(template, "metadata", "annotations"))
    for prefix in ("", "batch.kubernetes.io/"):
        labels[prefix + "job-name"] = job
        labels[prefix + "controller-uid"] = placeholder(f"uid of Job/{job}")
    inner = mapping(template, "spec")
    name = f"{job}-{placeholder('random')}"
    if text(spec, "completionMode") == "Indexed":
        labels[INDEX] = annotations[INDEX] = str(index)
        name = f"{job}-{index}-{placeholder('random')}"
        inner = {**inner, "hostname": text(inner, "hostname") or f"{job}-{index}"}
        for kind in ("initContainers", "containers"):
            if kind in inner:
                inner[kind] = [_with_index(container) for container in items(inner, kind)]
    return _pod(manifest, inner, f"Job/{job}", name, index, labels).replace(annotations=annotations)


def _with_index(container: Object) -> Object:
    env = items(container, "env")
    if any(text(each, "name") == "JOB_COMPLETION_INDEX" for each in env):
        return container
    source = {"fieldRef": {"fieldPath": f"metadata.labels['{INDEX}']"}}
    return {
        **container,
        "env": [*env, {"name": "JOB_COMPLETION_INDEX", "valueFrom": source, "createdBy": "the Job controller"}],
    }


def _statefulset_pods(manifest: Object, objects: list[Object]) -> Iterable[Pod]:
    size = replica_range(manifest, objects)
    first = number(manifest, "spec", "ordinals", "start") or 0
    for index in range(first, first + min(size.maximum, MAX_PODS)):
        yield statefulset_pod(manifest, index).replace(on_scale_up=index - first >= size.initial)


def statefulset_pod(manifest: Object, index: int) -> Pod:
    """Return the pod of one ordinal.

    https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#pod-identity
    """
    spec, name = mapping(manifest, "spec"), text(manifest, "metadata", "name")
    template = mapping(spec, "template")
    labels = dict(mapping(template, "metadata", "labels"))
    labels["statefulset.kubernetes.io/pod-name"] = f"{name}-{index}"
    labels["apps.kubernetes.io/pod-index"] = str(index)
    # The controller overrides the template's hostname and subdomain.
    inner = {**mapping(template, "spec"), "hostname": f"{name}-{index}", "subdomain": text(spec, "serviceName")}
    pod = _pod(manifest, inner, f"StatefulSet/{name}", f"{name}-{index}", index, labels)
    return pod.replace(annotations=mapping(template, "metadata", "annotations"))


def _deployment_pods(manifest: Object) -> Iterable[Pod]:
    template, name = mapping(manifest, "spec", "template"), text(manifest, "metadata", "name")
    replicas = number(manifest, "spec", "replicas")
    for index in range(min(1 if replicas is None else replicas, MAX_PODS)):
        labels = dict(mapping(template, "metadata", "labels"))
        yield _pod(
            manifest, mapping(template, "spec"), f"Deployment/{name}", f"{name}-{placeholder('random')}", index, labels
        )


def _pod(manifest: Object, spec: Object, owner: str, name: str, index: int, labels: Object) -> Pod:
    return Pod(
        name=name,
        hostname=text(spec, "hostname") or name,
        subdomain=text(spec, "subdomain"),
        namespace=text(manifest, "metadata", "namespace"),
        index=index,
        number=index,
        labels={key: str(value) for key, value in labels.items()},
        annotations=mapping(manifest, "metadata", "annotations"),
        owner=owner,
        spec=spec,
    )


def autoscaler(manifest: Object, objects: list[Object]) -> Object:
    """Return the HorizontalPodAutoscaler of a controller, or an empty mapping."""
    name, kind = text(manifest, "metadata", "name"), text(manifest, "kind")
    for each in objects:
        target = mapping(each, "spec", "scaleTargetRef")
        matches = text(target, "name") == name and text(target, "kind") == kind
        if text(each, "kind") == "HorizontalPodAutoscaler" and matches:
            return each
    return {}


def replica_range(manifest: Object, objects: list[Object]) -> ReplicaRange:
    """Return the replicas of a StatefulSet, 1 by default, or those that its autoscaler allows."""
    replicas = number(manifest, "spec", "replicas")
    replicas = 1 if replicas is None else replicas
    scaler = autoscaler(manifest, objects)
    if not scaler or replicas == 0:  # an autoscaler is inactive at 0 replicas
        return ReplicaRange(minimum=replicas, initial=replicas, maximum=replicas)
    low, high = number(scaler, "spec", "minReplicas") or 1, number(scaler, "spec", "maxReplicas") or 1
    return ReplicaRange(minimum=low, initial=min(max(replicas, low), high), maximum=high)


def is_suspended(manifest: Object) -> bool:
    """Return whether a Job is suspended and has no pods."""
    return text(manifest, "kind") == "Job" and at(manifest, "spec", "suspend") is True
