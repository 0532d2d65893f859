"""Custom resources whose operators the plan knows; a module is imported only for a resource of its kind."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

from trainc.plan.fields import Object, text
from trainc.record import Record
from trainc.systems.registry import of_kind
from trainc.systems.shared.model.shapes import OperatorOutput

# Kinds whose pods plan/pods.py creates.
NATIVE = ("Pod", "Job", "StatefulSet", "Deployment")


class OperatedResource(Record):
    """Custom resource, and the objects that its operator creates."""

    resource: Object
    output: OperatorOutput


def operator(resource: Object) -> ModuleType | None:
    """Return the model of a custom resource's operator; None if the kind is unknown.

    It has `operator_output(resource, objects)` and `failure_cases(resource)`.
    """
    kind, version = text(resource, "kind"), text(resource, "apiVersion")
    system = of_kind(kind, version)
    if system is None or system.kind != kind or "model" not in system.parts:
        return None
    emitted = system.traits.api_versions[0]
    model: ModuleType | None = system.part("model") if version.partition("/")[0] == emitted.partition("/")[0] else None
    return model


def runs_workers(resource: Object) -> bool:
    """Return whether the pods of an object are workers."""
    system = of_kind(text(resource, "kind"), text(resource, "apiVersion"))
    return system is not None and system.kind == text(resource, "kind") and system.traits.trains


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
