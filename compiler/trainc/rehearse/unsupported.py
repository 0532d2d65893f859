"""What is in the manifests and has no effect in a rehearsal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainc.plan.container import training_container
from trainc.plan.fields import Object, at, items, listed, mapping, text
from trainc.plan.pods import Pod, create_pods
from trainc.plan.usage import is_gpu
from trainc.rehearse.network import CARD, card

_KINDS = {
    "HorizontalPodAutoscaler": "nobody feeds it metrics",
    "PodGroup": "pods start as they are made",
    "PriorityClass": "pods start as they are made",
    "ServiceAccount": "there is only as much of an API server as a StatefulSet needs to end itself",
}
_OF_A_POD = {
    "nodeSelector": "pods are placed on no node",
    "affinity": "pods are placed on no node",
    "tolerations": "pods are placed on no node",
    "topologySpreadConstraints": "pods are placed on no node",
    "schedulerName": "pods are placed on no node",
    "priorityClassName": "pods are placed on no node",
    "runtimeClassName": "containers run as processes of this machine",
    "imagePullSecrets": "no image is pulled",
    "hostNetwork": "the pod has a network of its own",
    "hostPID": "the pod has processes of its own",
    "hostIPC": "the pod has memory of its own",
    "shareProcessNamespace": "each container has processes of its own",
    "activeDeadlineSeconds": "of a pod; a Job's own is kept",
    "resourceClaims": "devices aren't given",
    "schedulingGates": "pods start as they are made",
}
_OF_A_VOLUME = {
    "hostPath": "it is an empty folder that all pods share",
    "nfs": "it is an empty folder that all pods share",
    "csi": "it is an empty folder",
    "ephemeral": "it is an empty folder",
}
_OF_SECURITY = {
    "fsGroup": "processes have the group, and volumes are open to all",
    "capabilities": "processes have those that this machine gives them",
    "privileged": "processes have what this machine gives them",
    "readOnlyRootFilesystem": "what stands in for the image may be written to, but for /usr",
    "seccompProfile": "no system call is forbidden",
    "seLinuxOptions": "no label is set",
    "sysctls": "the machine's own hold",
}


def unsupported_features(objects: list[Object]) -> tuple[str, ...]:
    """A sentence for each, the same for all pods that have it."""
    return tuple(dict.fromkeys(_found(objects)))


def _found(objects: list[Object]) -> Iterator[str]:
    yield "images: the machine's own /usr and the chosen Python stand in for them, and are read-only"
    for one in objects:
        kind = text(one, "kind")
        if kind in _KINDS:
            yield f"{kind}/{text(one, 'metadata', 'name')}: {_KINDS[kind]}"
        if kind == "Service" and text(one, "spec", "clusterIP") != "None":
            yield f"Service/{text(one, 'metadata', 'name')}: its name leads to the pods' own addresses"
        for spec in (mapping(one, "spec"), mapping(one, "spec", "runPolicy")):
            if at(spec, "ttlSecondsAfterFinished") is not None:
                yield "ttlSecondsAfterFinished: what has finished stays until the rehearsal ends"
        for claim in items(one, "spec", "volumeClaimTemplates"):
            yield f"volumeClaimTemplates {text(claim, 'metadata', 'name')}: nothing is mounted in its place"
        if kind == "PersistentVolumeClaim":
            yield f"PersistentVolumeClaim/{text(one, 'metadata', 'name')}: it is an empty folder, of no particular size"
    for pod in create_pods(objects):
        yield from _of_pod(pod.spec)
        for one in containers_without_command(pod):
            yield f"container {text(one, 'name')}: it isn't run, as only its image knows its program"


def containers_without_command(pod: Pod) -> list[Object]:
    """The containers beside the one that trains whose images say what they start."""
    every = [*items(pod.spec, "initContainers"), *items(pod.spec, "containers")]
    return [one for one in every if not listed(one, "command") and one is not training_container(pod)]


def _of_pod(spec: Object) -> Iterator[str]:
    for field, why in _OF_A_POD.items():
        if at(spec, field):
            yield f"{field}: {why}"
    for volume in items(spec, "volumes"):
        for kind, why in _OF_A_VOLUME.items():
            if kind in volume:
                yield f"volume {text(volume, 'name')} ({kind}): {why}"
        if "persistentVolumeClaim" in volume:
            claim = text(volume, "persistentVolumeClaim", "claimName")
            yield f"claim {claim}: an empty folder that all pods share stands in for it"
    if card(spec) != CARD:
        yield f"network card {card(spec)}: the pod's one card has this name"
    every = [*items(spec, "initContainers"), *items(spec, "containers")]
    for resource in sorted({name for one in every for name in _resources(one)}):
        if is_gpu(resource):
            yield f"{resource}: no GPU is given, and nothing asks for one"
        else:
            yield f"{resource}: it isn't limited" if "/" not in resource else f"{resource}: it isn't given"
    for one in [spec, *every]:
        yield from (f"securityContext.{name}: {why}" for name, why in _OF_SECURITY.items() if _secures(one, name))


def _secures(given: Object, name: str) -> bool:
    return name in mapping(given, "securityContext")


def _resources(container: Any) -> set[str]:
    return {name for which in ("requests", "limits") for name in mapping(container, "resources", which)}
