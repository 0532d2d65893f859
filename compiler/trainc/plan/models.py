"""Models of the kinds that run pods: what their controllers create. Only models of kinds in the job are imported.

Every model has `failure_cases(resource, objects, workers)`, that of a kind of Kubernetes' own also
`create_pods(resource, objects, sample)`, that of an operator's `operator_output(resource, objects, sample)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from types import ModuleType

from trainc.diagnostics.finding import rejection
from trainc.plan.fields import Object, at, items, text
from trainc.plan.sample import EVERY_POD, Sample
from trainc.record import Record
from trainc.systems.registry import System, is_template, of_kind
from trainc.systems.shared.model import OperatorOutput
from trainc.systems.shared.pod_counts import excess
from trainc.systems.traits import Traits
from trainc.well_known import is_etcd


class OperatedResource(Record):
    """Custom resource, and the objects that its operator creates."""

    resource: Object
    output: OperatorOutput


def operator(resource: Object) -> ModuleType | None:
    """Return the model of a custom resource's operator; None for other objects."""
    system = _system(resource)
    return system.part("model") if system and system.traits.operator else None


def native_model(resource: Object) -> ModuleType | None:
    """Return the model of an object from which Kubernetes itself creates pods; None for other objects."""
    system = _system(resource)
    return system.part("model") if system and not system.traits.operator else None


def runs_workers(resource: Object) -> bool:
    """Return whether an object creates workers, or is one."""
    system = _system(resource)
    return system is not None and system.traits.trains


def controls_workers(resource: Object) -> bool:
    """Return whether an object creates workers."""
    system = _system(resource)
    return runs_workers(resource) and system is not None and system.traits.has_controller


def serves_workers(kind: str, spec: Object | None = None) -> bool:
    """Return whether the pods of a kind serve the workers, as those of a Deployment, or a pod is an etcd server."""
    system = of_kind(kind)
    is_server = any(is_etcd(text(container, "image")) for container in items(spec or {}, "containers"))
    return is_server or (system is not None and not system.traits.trains)


def controller_traits(objects: list[Object]) -> Traits | None:
    """Return the traits of the system whose controller creates the workers; None for bare Pods."""
    system = _system(next(filter(controls_workers, objects), {}))
    return system.traits if system else None


def scale_by_hand(objects: list[Object]) -> str:
    """Return how a user changes the number of workers; empty where nothing can."""
    system = _system(next(filter(runs_workers, objects), {}))
    return system.traits.scale_by_hand if system else ""


def pause_path(resource: Object) -> tuple[str, ...]:
    """Return the path of the field that pauses a job; empty for other objects, and for jobs without one."""
    system = _system(resource)
    return system.traits.pause if system else ()


def is_suspended(resource: Object) -> bool:
    """Return whether an object is a paused job, whose controller creates no pods."""
    path = pause_path(resource)
    return bool(path) and at(resource, *path) is True


def _system(resource: Object) -> System | None:
    return _system_of_kind(text(resource, "kind"), text(resource, "apiVersion"))


@cache
def _system_of_kind(kind: str, version: str) -> System | None:
    """Return the system of a kind, of any version in its API groups. The version of a native object may be missing."""
    system = of_kind(kind, version)
    if system is None or system.kind != kind or "model" not in system.parts:
        return None
    return system if version.partition("/")[0] in system.groups or not (version or system.traits.operator) else None


def operated_resources(objects: list[Object], sample: Sample) -> Iterator[OperatedResource]:
    """Yield all custom resources whose operator is known, each followed by those that its operator creates."""
    for each in objects:
        if model := operator(each):
            limit = excess(each)
            errors = (rejection(f"{limit.message}: {limit.expected}", *limit.path),) if limit else ()
            output = OperatorOutput(errors=errors) if limit else model.operator_output(each, objects, sample)
            yield OperatedResource(resource=each, output=output)
            yield from operated_resources(list(output.objects), sample)


def unknown_workloads(objects: list[Object]) -> Iterator[Object]:
    """Yield objects with containers whose kind is unknown, so that their pods are not in the plan."""
    others = (each for each in objects if not _system(each) and _has_containers(each))
    yield from (each for each in others if not is_template(text(each, "kind")))


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


def native_objects(objects: list[Object], sample: Sample = EVERY_POD) -> list[Object]:
    """Return the manifests and the objects that operators create for them."""
    return [*objects, *(created for each in operated_resources(objects, sample) for created in each.output.objects)]
