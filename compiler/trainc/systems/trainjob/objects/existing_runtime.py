"""Fields of a TrainJob that uses a runtime of the cluster, which has the pods: what trainer and patches can change."""

from __future__ import annotations

from trainc.systems.shared.objects.pod import present
from trainc.systems.trainjob import facts
from trainc.systems.trainjob.fields import OF_CONTAINER, PATCHES, RESOURCES, container_fields, pod_fields
from trainc.typenames import Any

_MANAGER = "trainc.dev/compile"
# Pods in the TrainJob, to which `podTemplate` applies.
_PATCHED = ("spec", PATCHES[0], 0, "trainingRuntimeSpec", "template", "spec", "replicatedJobs", 0, "template")
_OVERRIDDEN = ("spec", PATCHES[1], 0)


def pods_at(version: str) -> tuple[str | int, ...]:
    """Return the path of the pods in a TrainJob with patches."""
    return (*_PATCHED, "spec", "template") if version in facts.WITH_PATCHES else _OVERRIDDEN


def trainer(pod: dict[str, Any]) -> dict[str, Any]:
    """Return fields of `spec.trainer`: the container's, without the variables that the runtime's policy sets."""
    (container,) = pod["spec"]["containers"]
    fields = {**{name: container.get(name) for name in OF_CONTAINER}, RESOURCES: container.get("resources")}
    fields["env"] = [each for each in container.get("env", ()) if each["name"] not in facts.TORCH_VARIABLES]
    return present(fields)


def patches(pod: dict[str, Any], version: str) -> dict[str, Any]:
    """Return the patch of the runtime's pods."""
    (main,) = pod["spec"]["containers"]
    container = {name: main[name] for name in container_fields(version) if name in main}
    spec = {name: pod["spec"].get(name) for name in pod_fields(version)}
    if container:
        spec["containers"] = [{"name": facts.NODE, **container}]
    metadata = {name: pod[name] for name in ("labels", "annotations")}
    template = present({"metadata": present(metadata), "spec": present(spec)})
    if version not in facts.WITH_PATCHES:
        return {PATCHES[1]: [{"targetJobs": [{"name": facts.NODE}], **template}]}
    jobs = [{"name": facts.NODE, "template": {"spec": {"template": template}}}]
    changes = {"template": {"spec": {"replicatedJobs": jobs}}}
    return {PATCHES[0]: [{"manager": _MANAGER, "trainingRuntimeSpec": changes}]}
