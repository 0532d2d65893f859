"""Features of the manifests that have no effect in a rehearsal, and pods that a cluster rejects."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.diagnostics import codes
from trainc.plan.container import training_container
from trainc.plan.fields import Object, at, items, listed, mapping, text
from trainc.plan.pods import Pod, create_pods
from trainc.plan.usage import is_gpu
from trainc.rehearse.events import RehearsalError
from trainc.rehearse.network import DEFAULT_INTERFACE, interface
from trainc.systems.shared.validation.pod import spec_errors

_NO_SCHEDULER = "there is no scheduler"
_SHARED_FOLDER = "an empty directory that all pods share"
_KINDS = {
    "HorizontalPodAutoscaler": "there are no metrics",
    "PodGroup": _NO_SCHEDULER,
    "PriorityClass": _NO_SCHEDULER,
    "ServiceAccount": "the API server only supports the calls by which a job ends itself",
}
_POD_FIELDS = {
    **dict.fromkeys(("nodeSelector", "affinity", "tolerations", "topologySpreadConstraints"), _NO_SCHEDULER),
    **dict.fromkeys(("schedulerName", "priorityClassName", "schedulingGates"), _NO_SCHEDULER),
    "runtimeClassName": "containers run as processes of this machine",
    "imagePullSecrets": "no image is pulled",
    "hostNetwork": "the pod has its own network namespace",
    "hostPID": "the pod has its own processes",
    "hostIPC": "the pod has its own IPC namespace",
    "shareProcessNamespace": "each container has its own processes",
    "activeDeadlineSeconds": "the pod's own deadline is ignored; a Job's is kept",
    "resourceClaims": "no devices are allocated",
}
_VOLUME_KINDS = {
    **dict.fromkeys(("hostPath", "nfs"), _SHARED_FOLDER),
    **dict.fromkeys(("csi", "ephemeral"), "an empty directory"),
}
_SECURITY_FIELDS = {
    "fsGroup": "processes have the group, and all volumes are world-writable",
    "capabilities": "root has those that files and sshd need, and no others",
    "privileged": "the container has no more privileges than others",
    "readOnlyRootFilesystem": "the root file system is writable, except for /usr",
    "seccompProfile": "system calls are blocked as by default",
    "seLinuxOptions": "no label is set",
    "sysctls": "this machine's settings apply",
}


def refuse_invalid_pods(objects: list[Object]) -> None:
    """Raise RehearsalError if the API server would reject a pod for its paths or names."""
    for pod in create_pods(objects):
        for finding in spec_errors(pod.spec):
            if finding.code in (codes.INVALID_POD_PATH, codes.INVALID_POD_NAME):
                raise RehearsalError(f"{pod.name}: {finding.message}")


def unsupported_features(objects: list[Object]) -> tuple[str, ...]:
    """Return one line per feature: its name, and what happens instead."""
    return tuple(dict.fromkeys(_features(objects)))


def _features(objects: list[Object]) -> Iterator[str]:
    yield "images: replaced by this machine's /usr and the selected Python, read-only"
    for manifest in objects:
        kind, name = text(manifest, "kind"), text(manifest, "metadata", "name")
        if kind in _KINDS:
            yield f"{kind}/{name}: {_KINDS[kind]}"
        if kind == "Service" and text(manifest, "spec", "clusterIP") != "None":
            yield f"Service/{name}: its name resolves to the addresses of its pods"
        for spec in (mapping(manifest, "spec"), mapping(manifest, "spec", "runPolicy")):
            if at(spec, "ttlSecondsAfterFinished") is not None:
                yield "ttlSecondsAfterFinished: finished objects are kept until the rehearsal ends"
        for claim in items(manifest, "spec", "volumeClaimTemplates"):
            yield f"volumeClaimTemplates {text(claim, 'metadata', 'name')}: nothing is mounted"
        if kind == "PersistentVolumeClaim":
            yield f"PersistentVolumeClaim/{name}: an empty directory without a size limit"
    for pod in create_pods(objects):
        yield from _pod_features(pod.spec)
        for container in containers_without_command(pod):
            yield f"container {text(container, 'name')}: not run, its command is only in its image"


def containers_without_command(pod: Pod) -> list[Object]:
    """Return the containers, other than the training container, that leave their command to the image."""
    containers = [*items(pod.spec, "initContainers"), *items(pod.spec, "containers")]
    training = training_container(pod)
    return [container for container in containers if not listed(container, "command") and container is not training]


def _pod_features(spec: Object) -> Iterator[str]:
    for field, effect in _POD_FIELDS.items():
        if at(spec, field):
            yield f"{field}: {effect}"
    for volume in items(spec, "volumes"):
        for kind, effect in _VOLUME_KINDS.items():
            if kind in volume:
                yield f"volume {text(volume, 'name')} ({kind}): {effect}"
        if "persistentVolumeClaim" in volume:
            yield f"claim {text(volume, 'persistentVolumeClaim', 'claimName')}: {_SHARED_FOLDER}"
    if interface(spec) != DEFAULT_INTERFACE:
        yield f"network interface {interface(spec)}: the pod's only interface has this name"
    containers = [*items(spec, "initContainers"), *items(spec, "containers")]
    amounts = [mapping(container, "resources", field) for container in containers for field in ("requests", "limits")]
    for resource in sorted({name for requested in amounts for name in requested}):
        effect = "no GPU is allocated" if is_gpu(resource) else "not allocated" if "/" in resource else "not limited"
        yield f"{resource}: {effect}"
    for owner in [spec, *containers]:
        for field, effect in _SECURITY_FIELDS.items():
            if field in mapping(owner, "securityContext"):
                yield f"securityContext.{field}: {effect}"
