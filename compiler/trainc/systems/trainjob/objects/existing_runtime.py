"""Fields of a TrainJob that uses a runtime of the cluster, which has the pods: what trainer and patches can change."""

from __future__ import annotations

from trainc.ir.job import Job
from trainc.systems.shared.objects.pod import present
from trainc.systems.trainjob import facts
from trainc.systems.trainjob.runtime_patch import CONTAINER_FIELDS, POD_FIELDS
from trainc.typenames import Any

_MANAGER = "trainc.dev/compile"
# Fields of the pod and of its container that a patch sets, in the order in which they are written.
_POD = (
    *("serviceAccountName", "imagePullSecrets", "securityContext", "nodeSelector", "affinity", "tolerations"),
    *("terminationGracePeriodSeconds", "volumes"),
)
_CONTAINER = ("volumeMounts", "securityContext")
# Pods in the TrainJob, to which `podTemplate` applies.
_PATCHED = ("spec", "runtimePatches", 0, "trainingRuntimeSpec", "template", "spec", "replicatedJobs", 0, "template")
_OVERRIDDEN = ("spec", "podTemplateOverrides", 0)


def pods_at(version: str) -> tuple[str | int, ...]:
    """Return the path of the pods in a TrainJob with patches."""
    return (*_PATCHED, "spec", "template") if version in facts.WITH_PATCHES else _OVERRIDDEN


def trainer(job: Job, pod: dict[str, Any]) -> dict[str, Any]:
    """Return `spec.trainer`: the container's program, and without the variables that the runtime's policy sets."""
    (container,) = pod["spec"]["containers"]
    return present(
        {
            "numNodes": job.replicas.initial,
            "numProcPerNode": job.launch.process_count,
            "image": container["image"],
            "command": container.get("command"),
            "args": container.get("args"),
            "env": [each for each in container.get("env", ()) if each["name"] not in facts.TORCH_VARIABLES],
            "resourcesPerNode": container.get("resources"),
        }
    )


def patches(pod: dict[str, Any], version: str) -> dict[str, Any]:
    """Return the patch of the runtime's pods: runtimePatches, in Trainer 2.1 podTemplateOverrides."""
    (main,) = pod["spec"]["containers"]
    container = {name: main[name] for name in _CONTAINER if name in main and name in CONTAINER_FIELDS[version]}
    spec = {name: pod["spec"].get(name) for name in _POD if name in POD_FIELDS[version]}
    if container:
        spec["containers"] = [{"name": facts.NODE, **container}]
    metadata = {name: pod[name] for name in ("labels", "annotations")}
    template = present({"metadata": present(metadata), "spec": present(spec)})
    if version not in facts.WITH_PATCHES:
        return {"podTemplateOverrides": [{"targetJobs": [{"name": facts.NODE}], **template}]}
    jobs = [{"name": facts.NODE, "template": {"spec": {"template": template}}}]
    changes = {"template": {"spec": {"replicatedJobs": jobs}}}
    return {"runtimePatches": [{"manager": _MANAGER, "trainingRuntimeSpec": changes}]}
