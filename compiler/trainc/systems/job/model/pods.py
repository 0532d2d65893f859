"""Pods of a Job."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.plan.expand import placeholder
from trainc.plan.fields import Object, items, mapping, number, text
from trainc.plan.pods import MAX_PODS, Pod, new_pod
from trainc.systems.job.facts import INDEX_LABEL, INDEX_VARIABLE

BY = "the Job controller"


def create_pods(manifest: Object, objects: list[Object]) -> Iterator[Pod]:
    """Yield the pods in the order of their indexes."""
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
        labels[INDEX_LABEL] = annotations[INDEX_LABEL] = str(index)
        name = f"{job}-{index}-{placeholder('random')}"
        inner = {**inner, "hostname": text(inner, "hostname") or f"{job}-{index}"}
        for kind in ("initContainers", "containers"):
            if kind in inner:
                inner[kind] = [_with_index(container) for container in items(inner, kind)]
    return new_pod(manifest, inner, f"Job/{job}", name, index, labels).replace(annotations=annotations)


def _with_index(container: Object) -> Object:
    env = items(container, "env")
    if any(text(each, "name") == INDEX_VARIABLE for each in env):
        return container
    source = {"fieldRef": {"fieldPath": f"metadata.labels['{INDEX_LABEL}']"}}
    return {
        **container,
        "env": [*env, {"name": INDEX_VARIABLE, "valueFrom": source, "createdBy": BY}],
    }
