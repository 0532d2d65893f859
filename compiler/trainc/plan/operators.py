"""Which operators' custom resources the plan reads; only those that there are get imported."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

from trainc.plan.fields import Object, text
from trainc.record import Record
from trainc.systems.shared.model.shapes import OperatorOutput

# API group and kind → module, which has `operator_output(resource, objects)` and `failure_cases(resource)`.
_MODULES = {
    ("kubeflow.org", "PyTorchJob"): "trainc.systems.pytorchjob.model.pods",
    ("elastic.pytorch.org", "ElasticJob"): "trainc.systems.elasticjob.model.pods",
    ("batch.tensorstack.dev", "DeepSpeedJob"): "trainc.systems.deepspeedjob.model.pods",
}
# Of which plan/pods.py makes pods.
NATIVE = ("Pod", "Job", "StatefulSet", "Deployment")
KINDS = tuple(kind for _, kind in _MODULES)


class OperatedResource(Record):
    """A custom resource, and what its operator makes of it."""

    resource: Object
    output: OperatorOutput


def operator(resource: Object) -> ModuleType | None:
    """The module that knows a custom resource's operator."""
    group = text(resource, "apiVersion").partition("/")[0]
    name = _MODULES.get((group, text(resource, "kind")))
    return import_module(name) if name else None


def operated_resources(objects: list[Object]) -> Iterator[OperatedResource]:
    """All custom resources whose operator is known."""
    for one in objects:
        module = operator(one)
        if module is not None:
            yield OperatedResource(resource=one, output=module.operator_output(one, objects))


def unknown_workloads(objects: list[Object]) -> Iterator[Object]:
    """Those that hold containers, though nobody here knows what makes pods of them."""
    for one in objects:
        if text(one, "kind") not in NATIVE and operator(one) is None and _has_containers(one):
            yield one


def _has_containers(value: object) -> bool:
    rest = [value]
    while rest:
        one = rest.pop()
        if isinstance(one, dict):
            if one.get("containers") and isinstance(one["containers"], list):
                return True
            rest += one.values()
        elif isinstance(one, list):
            rest += one
    return False


def native_objects(objects: list[Object]) -> list[Object]:
    """All that Kubernetes itself runs: the manifests, and what operators make of them."""
    return [*objects, *(each for one in operated_resources(objects) for each in one.output.objects)]
