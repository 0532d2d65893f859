"""JobSet that Kubeflow Trainer 2.3 creates from a TrainJob and its runtime.

Docstrings name the functions that the code follows, of https://github.com/kubeflow/trainer/tree/v2.3.0/pkg/runtime.
"""

from __future__ import annotations

from typing import Any

from trainc.plan.fields import Object, at, count, items, listed, mapping, number, text
from trainc.systems.shared.model import owned_object
from trainc.systems.trainjob import facts
from trainc.systems.trainjob.model.policies import Changes, policy_changes
from trainc.systems.trainjob.model.runtime import is_trainer
from trainc.systems.trainjob.traits import TRAITS

BY = TRAITS.operator
API_VERSION = "jobset.x-k8s.io/v1alpha2"


def job_set(resource: Object, runtime: Object) -> Object:
    """Return the JobSet, with the name of the TrainJob: Build of framework/plugins/jobset/jobset.go."""
    template = patched_template(resource, runtime)
    spec = mapping(template, "spec")
    jobs = [_replicated_job(resource, runtime, each) for each in items(spec, "replicatedJobs")]
    name = text(resource, "metadata", "name")
    head = owned_object(resource, BY, "JobSet", name, mapping(template, "metadata", "labels"), API_VERSION)
    head["metadata"]["annotations"] = mapping(template, "metadata", "annotations")
    return {**head, "spec": {**spec, "replicatedJobs": jobs}, **_launcher_marks(runtime, jobs)}


def _launcher_marks(runtime: Object, jobs: list[Object]) -> Object:
    """Return the command that starts the processes of all nodes, and the name of its job if it is no node itself."""
    policy = at(runtime, "spec", "mlPolicy", "mpi")
    launcher = next((job for job in jobs if text(job, "name") == facts.LAUNCHER), None)
    if policy is None or launcher is None:
        return {}
    containers = items(launcher, "template", "spec", "template", "spec", "containers")
    own = next((each for each in containers if text(each, "name") == facts.NODE), {})
    start = [str(word) for field in ("command", "args") for word in listed(own, field)]
    return {"startCommand": start, "launcher": "" if at(policy, "runLauncherAsNode") is True else facts.LAUNCHER}


def patched_template(resource: Object, runtime: Object) -> Object:
    """Return the runtime's template with the TrainJob's patches, in their order: mergeRuntimePatches of
    core/trainingruntime.go. podTemplateOverrides are those of 2.1."""
    template = mapping(runtime, "spec", "template")
    for patch in items(resource, "spec", "runtimePatches"):
        changes = mapping(patch, "trainingRuntimeSpec", "template")
        template = merge(template, {name: value for name, value in changes.items() if value is not None})
    for override in items(resource, "spec", "podTemplateOverrides"):
        pod = {name: override[name] for name in ("metadata", "spec") if isinstance(override.get(name), dict)}
        for target in items(override, "targetJobs"):
            job = {"name": text(target, "name"), "template": {"spec": {"template": pod}}}
            if any(text(each, "name") == job["name"] for each in items(template, "spec", "replicatedJobs")):
                template = merge(template, {"spec": {"replicatedJobs": [job]}})
    return template


def node_count(resource: Object, runtime: Object, job: Object) -> int:
    """Return the number of pods of a replicated job: newRuntimeInfo of core/trainingruntime.go, EnforceMLPolicy of
    framework/plugins/torch/torch.go and mpi/mpi.go."""
    policy = mapping(runtime, "spec", "mlPolicy")
    nodes = number(resource, "spec", "trainer", "numNodes")
    pods = count(job, "template", "spec", "parallelism")
    if is_trainer(job) and at(runtime, "spec", "mlPolicy") is not None:
        pods = count(policy, "numNodes")
    pods = max(pods, 1)
    if at(policy, "mpi") is not None:
        if text(job, "name") != facts.NODE or nodes is None:
            return pods
        return max(nodes - 1, 1) if at(policy, "mpi", "runLauncherAsNode") is True else nodes
    return nodes if is_trainer(job) and nodes is not None else pods


def _replicated_job(resource: Object, runtime: Object, job: Object) -> Object:
    nodes = node_count(resource, runtime, job)
    template = mapping(job, "template")
    job_spec = mapping(template, "spec")
    pod = mapping(job_spec, "template")
    spec, name = dict(mapping(pod, "spec")), text(resource, "metadata", "name")
    changes = policy_changes(resource, runtime, job, nodes)
    if changes.volumes:
        spec["volumes"] = upsert(items(spec, "volumes"), changes.volumes, "name")
    spec["containers"] = [_container(resource, runtime, job, each, changes) for each in items(spec, "containers")]
    if at(runtime, "spec", "podGroupPolicy", "coscheduling") is not None:
        labels = {**mapping(pod, "metadata", "labels"), "scheduling.x-k8s.io/pod-group": name}
        pod = {**pod, "metadata": {**mapping(pod, "metadata"), "labels": labels}}
    if at(runtime, "spec", "podGroupPolicy", "volcano") is not None:
        annotations = {**mapping(pod, "metadata", "annotations"), "scheduling.k8s.io/group-name": name}
        pod = {**pod, "metadata": {**mapping(pod, "metadata"), "annotations": annotations}}
    job_spec = {**job_spec, "parallelism": nodes, "completions": nodes, "template": {**pod, "spec": spec}}
    fixed = {"replicas": 1} if is_trainer(job) else {}
    return {**job, **fixed, "template": {**template, "spec": job_spec}}


def _container(resource: Object, runtime: Object, job: Object, container: Object, changes: Changes) -> Object:
    """Return a container with the fields of `trainer` and the variables of the policy: Trainer of
    framework/plugins/jobset/builder.go."""
    trainer = mapping(resource, "spec", "trainer")
    if text(container, "name") != facts.NODE:
        return container
    merged = dict(container)
    if is_trainer(job):
        merged |= {name: trainer[name] for name in ("image", "command", "args") if trainer.get(name) is not None}
    own = is_trainer(job) or (
        at(runtime, "spec", "mlPolicy", "mpi", "runLauncherAsNode") is True and text(job, "name") == facts.NODE
    )
    if own and at(trainer, "resourcesPerNode") is not None and at(runtime, "spec", "mlPolicy") is not None:
        merged["resources"] = merged_resources(container, trainer)
    if own and items(trainer, "env"):
        merged["env"] = upsert(items(merged, "env"), items(trainer, "env"), "name")
    if changes.env:
        merged["env"] = upsert(items(merged, "env"), changes.env, "name")
    if changes.ports:
        merged["ports"] = upsert(items(merged, "ports"), changes.ports, "containerPort", "name")
    if changes.mounts:
        merged["volumeMounts"] = upsert(items(merged, "volumeMounts"), changes.mounts, "mountPath")
    return merged


def merged_resources(container: Object, trainer: Object) -> Object:
    """Return requests and limits with those of `resourcesPerNode` on top; claims are lost: newRuntimeInfo."""
    merged = {}
    for kind in ("limits", "requests"):
        amounts = {
            **mapping(container, "resources", kind),
            **mapping(trainer, "resourcesPerNode", kind),
        }
        if amounts:
            merged[kind] = amounts
    return merged


# Lists of a JobSet's pods that are merged, with the field that identifies an item; others are replaced.
_KEYS = {
    "replicatedJobs": "name",
    "containers": "name",
    "initContainers": "name",
    "volumes": "name",
    "env": "name",
    "imagePullSecrets": "name",
    "schedulingGates": "name",
    "volumeMounts": "mountPath",
}


def merge(base: Any, patch: Any, field: str = "") -> Any:
    """Return a value with a strategic merge patch applied."""
    if isinstance(base, dict) and isinstance(patch, dict):
        merged = dict(base)
        for name, value in patch.items():
            merged[name] = merge(base[name], value, name) if name in base else value
        return merged
    key = _KEYS.get(field)
    if key is None or not isinstance(base, list) or not isinstance(patch, list):
        return patch
    items = list(base)
    for item in patch:
        place = next((at_ for at_, other in enumerate(items) if at(other, key) == at(item, key)), None)
        if place is None:
            items.append(item)
        elif field == "volumes":  # retainKeys: a volume has one source
            items[place] = item
        else:
            items[place] = merge(items[place], item)
    return items


def upsert(items: list[Object], new: list[Object], *keys: str) -> list[Object]:
    """Return a list in which each new item replaces the first one with the same value of a key, or comes last.

    A missing value equals a missing one.
    """
    updated = list(items)
    for item in new:
        place = next((at_ for at_, other in enumerate(updated) if any(at(other, k) == at(item, k) for k in keys)), None)
        if place is None:
            updated.append(item)
        else:
            updated[place] = item
    return updated
