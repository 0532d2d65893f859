"""Model: the pods that the toy operator creates from a ToyJob, and its failure cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tests.plugins.toysystem.traits import CONTAINER, TRAITS
from trainc.plan.failures import FailureCase
from trainc.plan.fields import Object, mapping, number, text
from trainc.plan.sample import Sample
from trainc.plan.world import Worker
from trainc.systems.shared.model import OperatorOutput, owned_object, pod_from_template


def operator_output(resource: Object, objects: list[Object], sample: Sample) -> OperatorOutput:
    """Return the pods in the order of their indexes."""
    name, template = text(resource, "metadata", "name"), mapping(resource, "spec", "template")
    pods = []
    for index, multiplicity in sample.indexes(0, number(resource, "spec", "workers") or 1):
        labels = {"toy.example.com/index": str(index)}
        head = owned_object(resource, TRAITS.operator, "Pod", f"{name}-{index}", labels)
        pod = pod_from_template(head, template, CONTAINER, False)
        pod["spec"] = {"hostname": f"{name}-{index}", **pod["spec"]}
        pods.append({**pod, "multiplicity": multiplicity})
    return OperatorOutput(objects=tuple(pods))


def failure_cases(resource: Object, objects: list[Object], workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """Yield the cases in the order of the job's life."""
    yield FailureCase("a worker fails", "the toy operator restarts its container")
