"""Pods that the Deployment controller creates; no failure cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.plan.expand import placeholder
from trainc.plan.failures import FailureCase
from trainc.plan.fields import Object, count, mapping, text
from trainc.plan.pods import Pod, new_pod
from trainc.plan.sample import Sample
from trainc.plan.world import Worker


def create_pods(manifest: Object, objects: list[Object], sample: Sample) -> Iterator[Pod]:
    """Yield the pods of all replicas, which differ in their names only."""
    template, name = mapping(manifest, "spec", "template"), text(manifest, "metadata", "name")
    labels, pod_name = mapping(template, "metadata", "labels"), f"{name}-{placeholder('random')}"
    for index, multiplicity in sample.indexes(0, count(manifest, "spec", "replicas")):
        pod = new_pod(manifest, mapping(template, "spec"), f"Deployment/{name}", pod_name, index, labels)
        yield pod.replace(multiplicity=multiplicity)


def failure_cases(manifest: Object, objects: list[Object], workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """Yield nothing: the job's cases are those of its workers."""
    return iter(())
