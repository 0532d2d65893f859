"""Fields of a TrainJob that uses a runtime of the cluster, which has the pods: what trainer and patches can change."""

from __future__ import annotations

from trainc.ir.job import Job
from trainc.systems.trainjob import facts
from trainc.systems.trainjob.runtime_patch import CONTAINER_FIELDS, POD_FIELDS
from trainc.typenames import Any

_MANAGER = "trainc.dev/compile"
_PLACEMENT = ("nodeSelector", "affinity", "tolerations")
# Pods in the TrainJob, to which `podTemplate` applies.
_PATCHED = ("spec", "runtimePatches", 0, "trainingRuntimeSpec", "template", "spec", "replicatedJobs", 0, "template")
_OVERRIDDEN = ("spec", "podTemplateOverrides", 0)


def pods_at(version: str) -> tuple[str | int, ...]:
    """Return the path of the pods in a TrainJob with patches."""
    return (*_PATCHED, "spec", "template") if version in facts.WITH_PATCHES else _OVERRIDDEN


def trainer(job: Job, pod: dict[str, Any]) -> dict[str, Any]:
    """Return `spec.trainer`: the container's program, and without the variables that the runtime's policy sets."""
    processes = job.launch.process_count
    env = [variable for variable in pod["env"] if variable["name"] not in facts.TORCH_VARIABLES]
    fields = {
        "numNodes": job.replicas.initial,
        "numProcPerNode": processes,
        "image": pod["plan"].image,
        "command": pod["command"],
        "args": pod["args"],
        "env": env,
        "resourcesPerNode": pod["resources"],
    }
    return {name: value for name, value in fields.items() if value}


def patches(pod: dict[str, Any], version: str) -> dict[str, Any]:
    """Return the patch of the runtime's pods: runtimePatches, in Trainer 2.1 podTemplateOverrides."""
    plan = pod["plan"]
    container = {"volumeMounts": pod["mounts"], "securityContext": plan.security.main}
    container = {name: value for name, value in container.items() if value and name in CONTAINER_FIELDS[version]}
    spec = {
        "serviceAccountName": pod["service_account"],
        "imagePullSecrets": plan.image_pull_secrets,
        "securityContext": plan.security.pod,
        **{name: pod["placement_blocks"].get(name) for name in _PLACEMENT},
        "terminationGracePeriodSeconds": plan.termination_grace_period_seconds,
        "volumes": pod["volumes"],
        "containers": [{"name": facts.NODE, **container}] if container else None,
    }
    metadata = {name: pod[name] for name in ("labels", "annotations") if pod[name]}
    spec = {name: value for name, value in spec.items() if value and name in POD_FIELDS[version]}
    template = {"metadata": metadata, "spec": spec}
    template = {name: value for name, value in template.items() if value}
    if version not in facts.WITH_PATCHES:
        return {"podTemplateOverrides": [{"targetJobs": [{"name": facts.NODE}], **template}]}
    jobs = [{"name": facts.NODE, "template": {"spec": {"template": template}}}]
    changes = {"template": {"spec": {"replicatedJobs": jobs}}}
    return {"runtimePatches": [{"manager": _MANAGER, "trainingRuntimeSpec": changes}]}
