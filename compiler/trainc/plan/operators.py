"""Custom resources whose operators the plan knows; a module is imported only for a resource of its kind."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

from trainc.plan.fields import Object, text
from trainc.record import Record
from trainc.systems.shared.model.shapes import OperatorOutput

# Module of an API group and kind, with `operator_output(resource, objects)` and `failure_cases(resource)`.
_MODULES = {
    ("kubeflow.org", "PyTorchJob"): "trainc.systems.pytorchjob.model.pods",
    ("elastic.pytorch.org", "ElasticJob"): "trainc.systems.elasticjob.model.pods",
    ("batch.tensorstack.dev", "DeepSpeedJob"): "trainc.systems.deepspeedjob.model.pods",
}
# Kinds whose pods plan/pods.py creates.
NATIVE = ("Pod", "Job", "StatefulSet", "Deployment")
KINDS = tuple(kind for _, kind in _MODULES)


class OperatedResource(Record):
    """Custom resource, and the objects that its operator creates."""

    resource: Object
    output: OperatorOutput


def operator(resource: Object) -> ModuleType | None:
    """Return the model of a custom resource's operator; None if the kind is unknown."""
    group = text(resource, "apiVersion").partition("/")[0]
    name = _MODULES.get((group, text(resource, "kind")))
    return import_module(name) if name else None


def operated_resources(objects: list[Object]) -> Iterator[OperatedResource]:
    """Yield all custom resources whose operator is known."""
    for each in objects:
        module = operator(each)
        if module is not None:
            yield OperatedResource(resource=each, output=module.operator_output(each, objects))


def unknown_workloads(objects: list[Object]) -> Iterator[Object]:
    """Yield objects with containers whose kind is unknown, so that their pods are not in the plan."""
    for each in objects:
        if text(each, "kind") not in NATIVE and operator(each) is None and _has_containers(each):
            yield each


def _has_containers(value: object) -> bool:
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, dict):
            if each.get("containers") and isinstance(each["containers"], list):
                return True
            pending += each.values()
        elif isinstance(each, list):
            pending += each
    return False


def native_objects(objects: list[Object]) -> list[Object]:
    """Return the manifests and the objects that operators create for them."""
    return [*objects, *(created for each in operated_resources(objects) for created in each.output.objects)]
