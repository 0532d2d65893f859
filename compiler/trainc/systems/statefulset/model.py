"""Pods that the StatefulSet controller creates, and the failure cases of a StatefulSet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.plan.failures import DISRUPTION, RESTARTED, FailureCase, load_case
from trainc.plan.fields import Object, count, items, mapping, number, text
from trainc.plan.pods import Pod, ReplicaRange, autoscaler, new_pod
from trainc.plan.sample import Sample
from trainc.plan.world import Worker
from trainc.systems.shared.autoscaler import can_scale
from trainc.systems.statefulset.traits import INDEX_LABEL, NAME_LABEL


def create_pods(manifest: Object, objects: list[Object], sample: Sample) -> Iterator[Pod]:
    """Yield the pods in the order of their ordinals."""
    size = replica_range(manifest, objects)
    first = number(manifest, "spec", "ordinals", "start") or 0
    for index, multiplicity in sample.indexes(first, size.maximum):
        yield statefulset_pod(manifest, index).replace(
            on_scale_up=index - first >= size.initial, multiplicity=multiplicity
        )


def statefulset_pod(manifest: Object, index: int) -> Pod:
    """Return the pod of one ordinal.

    https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#pod-identity
    """
    spec, name = mapping(manifest, "spec"), text(manifest, "metadata", "name")
    template = mapping(spec, "template")
    labels = dict(mapping(template, "metadata", "labels"))
    labels[NAME_LABEL] = f"{name}-{index}"
    labels[INDEX_LABEL] = str(index)
    # The controller overrides the template's hostname and subdomain.
    inner = {**mapping(template, "spec"), "hostname": f"{name}-{index}", "subdomain": text(spec, "serviceName")}
    inner |= _claimed_volumes(manifest, inner, index)
    pod = new_pod(manifest, inner, f"StatefulSet/{name}", f"{name}-{index}", index, labels)
    return pod.replace(annotations=mapping(template, "metadata", "annotations"))


def _claimed_volumes(manifest: Object, pod: Object, index: int) -> Object:
    """Return the pod's volumes with those of the claims that are its own: updateStorage of
    pkg/controller/statefulset/stateful_set_utils.go in kubernetes/kubernetes."""
    templates, name = items(manifest, "spec", "volumeClaimTemplates"), text(manifest, "metadata", "name")
    claims = [text(template, "metadata", "name") for template in templates]
    if not claims:
        return {}
    others = [volume for volume in items(pod, "volumes") if text(volume, "name") not in claims]
    own = [{"name": each, "persistentVolumeClaim": {"claimName": f"{each}-{name}-{index}"}} for each in claims]
    return {"volumes": [*own, *others]}


def replica_range(manifest: Object, objects: list[Object]) -> ReplicaRange:
    """Return the replicas of a StatefulSet, 1 by default, or those that its autoscaler allows."""
    replicas = count(manifest, "spec", "replicas")
    scaler = autoscaler(manifest, objects)
    if not scaler or replicas == 0:  # an autoscaler is inactive at 0 replicas
        return ReplicaRange(minimum=replicas, initial=replicas, maximum=replicas)
    low, high = number(scaler, "spec", "minReplicas") or 1, number(scaler, "spec", "maxReplicas") or 1
    initial = min(max(replicas, low), high)
    if not _can_scale(scaler, manifest):
        low = high = initial
    return ReplicaRange(minimum=low, initial=initial, maximum=high)


def _can_scale(scaler: Object, manifest: Object) -> bool:
    return can_scale(items(scaler, "spec", "metrics"), mapping(manifest, "spec", "template", "spec"))


def failure_cases(resource: Object, objects: list[Object], workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """Yield the cases in the order of failures and the end."""
    yield FailureCase("a worker fails", f"{RESTARTED} without limit, with a backoff of up to 5 min")
    yield FailureCase(DISRUPTION, "the pod is recreated under the same name")
    scaler = autoscaler(resource, objects)
    if scaler:
        yield load_case(mapping(scaler, "spec"), "replicas", _can_scale(scaler, resource))
    if workers and workers[0].launch.scales_to_zero:
        scaler_too = "the autoscaler is deleted, and " if scaler else ""
        yield FailureCase("worker 0 has succeeded", f"{scaler_too}the StatefulSet is scaled to 0: its pods are deleted")
        yield FailureCase("another worker has succeeded", "its pod runs on until the StatefulSet is scaled down")
    else:
        effect = f"{RESTARTED} without limit: a StatefulSet never completes"
        yield FailureCase("the program has succeeded", effect)
