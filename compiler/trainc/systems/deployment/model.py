"""Pods that the Deployment controller creates; its failure cases are none of a job."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.plan.expand import placeholder
from trainc.plan.failures import FailureCase
from trainc.plan.fields import Object, mapping, number, text
from trainc.plan.pods import MAX_PODS, Pod, new_pod
from trainc.plan.world import Worker


def create_pods(manifest: Object, objects: list[Object]) -> Iterator[Pod]:
    """Yield the pods of all replicas, which are alike."""
    template, name = mapping(manifest, "spec", "template"), text(manifest, "metadata", "name")
    replicas = number(manifest, "spec", "replicas")
    for index in range(min(1 if replicas is None else replicas, MAX_PODS)):
        labels = dict(mapping(template, "metadata", "labels"))
        yield new_pod(
            manifest, mapping(template, "spec"), f"Deployment/{name}", f"{name}-{placeholder('random')}", index, labels
        )


def failure_cases(manifest: Object, objects: list[Object], workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """Yield nothing: the job's cases are those of its workers."""
    return iter(())
