"""Runtime of a TrainJob: one of the input, or one that Kubeflow Trainer ships."""

from __future__ import annotations

from trainc.plan.fields import Object, items, mapping, text
from trainc.systems.trainjob.facts import ANCESTOR_LABEL, CLUSTER_RUNTIME, TRAINER
from trainc.systems.trainjob.shipped import SHIPPED


def reference(resource: Object) -> tuple[str, str]:
    """Return kind and name of the runtime that a TrainJob refers to."""
    ref = mapping(resource, "spec", "runtimeRef")
    return text(ref, "kind") or CLUSTER_RUNTIME, text(ref, "name")


def find_runtime(resource: Object, objects: list[Object]) -> Object | None:
    """Return the runtime of a TrainJob; None if it is neither in the input nor shipped."""
    kind, name = reference(resource)
    namespace = text(resource, "metadata", "namespace")
    for each in objects:
        same_namespace = kind == CLUSTER_RUNTIME or text(each, "metadata", "namespace") in ("", namespace)
        if (text(each, "kind"), text(each, "metadata", "name")) == (kind, name) and same_namespace:
            return each
    return SHIPPED.get(name) if kind == CLUSTER_RUNTIME else None


def replicated_jobs(runtime: Object) -> list[Object]:
    """Return the replicated jobs of a runtime's template."""
    return items(runtime, "spec", "template", "spec", "replicatedJobs")


def is_trainer(replicated_job: Object) -> bool:
    """Return whether a replicated job trains: trainer fields of the TrainJob change it."""
    return text(replicated_job, "template", "metadata", "labels", ANCESTOR_LABEL) == TRAINER
