"""The pods that controllers will make of manifests, with the names and labels that they give them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainc.plan.expand import placeholder
from trainc.plan.fields import Object, at, items, listed, mapping, number, text
from trainc.record import Record
from trainc.systems.shared.model.shapes import controllers

INDEX = "batch.kubernetes.io/job-completion-index"
MAX_PODS = 20_000  # pods that a plan counts one by one


class Pod(Record):
    """A pod as the API server will have it. `late` pods come only when the set is scaled up.

    `index` is its place among those of its owner, `number` that in its name. `trains` is the container that trains,
    empty where nobody says; `by` is the operator that makes the pod, empty where Kubernetes itself does. `starts`
    is the command line of the pod that starts the processes in all, empty where each pod starts its own.
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
    """How many pods a controller may have: the fewest, those at first, the most."""

    minimum: int
    initial: int
    maximum: int


def create_pods(objects: list[Object]) -> Iterator[Pod]:
    """All pods of all objects, in the order of their names' numbers."""
    known: dict[str, int] = {}
    for thing in objects:
        kind = text(thing, "kind")
        if kind == "Pod":
            pod = _single(thing)
            if pod.owner:
                known[pod.owner] = place = known.get(pod.owner, -1) + 1
                pod = pod.replace(index=place)
            yield pod
        elif kind == "Job":
            yield from _of_job(thing)
        elif kind == "StatefulSet":
            yield from _of_set(thing, objects)
        elif kind == "Deployment":
            yield from _of_deployment(thing)


def _single(thing: Object) -> Pod:
    """A Pod as it stands: with an operator's marks, or somebody's own."""
    name = text(thing, "metadata", "name")
    owner = next(("/".join(one) for one in controllers(thing)), "")
    found = _pod(thing, mapping(thing, "spec"), owner, name, _number(name), mapping(thing, "metadata", "labels"))
    return found.replace(
        on_scale_up=at(thing, "onScaleUp") is True,
        training_container=text(thing, "trainingContainer"),
        created_by=text(thing, "createdBy"),
        start_command=tuple(listed(thing, "startCommand")),
    )


def _number(name: str) -> int:
    """The number at the end of a name; zero where there is none."""
    last = name.rpartition("-")[2]
    return int(last) if last.isdecimal() and last.isascii() and len(last) < 10 else 0


def _of_job(thing: Object) -> Iterable[Pod]:
    spec = mapping(thing, "spec")
    most = number(spec, "completions")
    wide = number(spec, "parallelism")
    wide = 1 if wide is None else wide
    for index in range(min(most if most is not None else wide, MAX_PODS)):
        yield job_pod(thing, index).replace(on_scale_up=index >= wide)


def job_pod(thing: Object, index: int) -> Pod:
    """The pod of one index. Names, labels and the variable: addCompletionIndexEnvVariables,
    appendJobCompletionFinalizerIfNotFound and manageJob in
    https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/controller/job/indexed_job_utils.go
    """
    spec, job = mapping(thing, "spec"), text(thing, "metadata", "name")
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
    return _pod(thing, inner, f"Job/{job}", name, index, labels).replace(annotations=annotations)


def _with_index(container: Object) -> Object:
    env = items(container, "env")
    if any(text(one, "name") == "JOB_COMPLETION_INDEX" for one in env):
        return container
    source = {"fieldRef": {"fieldPath": f"metadata.labels['{INDEX}']"}}
    return {
        **container,
        "env": [*env, {"name": "JOB_COMPLETION_INDEX", "valueFrom": source, "createdBy": "the Job controller"}],
    }


def _of_set(thing: Object, objects: list[Object]) -> Iterable[Pod]:
    size = replica_range(thing, objects)
    first = number(thing, "spec", "ordinals", "start") or 0
    for index in range(first, first + min(size.maximum, MAX_PODS)):
        yield statefulset_pod(thing, index).replace(on_scale_up=index - first >= size.initial)


def statefulset_pod(thing: Object, index: int) -> Pod:
    """The pod of one ordinal.

    https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#pod-identity
    """
    spec, name = mapping(thing, "spec"), text(thing, "metadata", "name")
    template = mapping(spec, "template")
    labels = dict(mapping(template, "metadata", "labels"))
    labels["statefulset.kubernetes.io/pod-name"] = f"{name}-{index}"
    labels["apps.kubernetes.io/pod-index"] = str(index)
    # The set gives the pod its own name and its Service's, whatever the template says.
    inner = {**mapping(template, "spec"), "hostname": f"{name}-{index}", "subdomain": text(spec, "serviceName")}
    pod = _pod(thing, inner, f"StatefulSet/{name}", f"{name}-{index}", index, labels)
    return pod.replace(annotations=mapping(template, "metadata", "annotations"))


def _of_deployment(thing: Object) -> Iterable[Pod]:
    template, name = mapping(thing, "spec", "template"), text(thing, "metadata", "name")
    wanted = number(thing, "spec", "replicas")
    for index in range(min(1 if wanted is None else wanted, MAX_PODS)):
        labels = dict(mapping(template, "metadata", "labels"))
        yield _pod(
            thing, mapping(template, "spec"), f"Deployment/{name}", f"{name}-{placeholder('random')}", index, labels
        )


def _pod(thing: Object, spec: Object, owner: str, name: str, index: int, labels: Object) -> Pod:
    return Pod(
        name=name,
        hostname=text(spec, "hostname") or name,
        subdomain=text(spec, "subdomain"),
        namespace=text(thing, "metadata", "namespace"),
        index=index,
        number=index,
        labels={key: str(value) for key, value in labels.items()},
        annotations=mapping(thing, "metadata", "annotations"),
        owner=owner,
        spec=spec,
    )


def autoscaler(thing: Object, objects: list[Object]) -> Object:
    """The HorizontalPodAutoscaler of a controller; an empty mapping where there is none."""
    for one in objects:
        target = mapping(one, "spec", "scaleTargetRef")
        named = text(target, "name") == text(thing, "metadata", "name") and text(target, "kind") == text(thing, "kind")
        if text(one, "kind") == "HorizontalPodAutoscaler" and named:
            return one
    return {}


def replica_range(thing: Object, objects: list[Object]) -> ReplicaRange:
    """A set's replicas, one unless it says; with an autoscaler, what that makes of them."""
    wanted = number(thing, "spec", "replicas")
    wanted = 1 if wanted is None else wanted
    scaler = autoscaler(thing, objects)
    if not scaler or wanted == 0:  # at zero an autoscaler rests
        return ReplicaRange(minimum=wanted, initial=wanted, maximum=wanted)
    low, high = number(scaler, "spec", "minReplicas") or 1, number(scaler, "spec", "maxReplicas") or 1
    return ReplicaRange(minimum=low, initial=min(max(wanted, low), high), maximum=high)


def is_suspended(thing: Object) -> bool:
    """Whether a Job makes no pods until it is resumed."""
    return text(thing, "kind") == "Job" and at(thing, "spec", "suspend") is True
