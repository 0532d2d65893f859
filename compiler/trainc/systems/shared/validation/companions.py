"""Objects of Kubernetes' own that stand beside a job: their schemas, and what the API server rejects in them.

ValidateService, and for autoscalers
https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/apis/autoscaling/validation/validation.go
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from trainc.diagnostics.finding import Finding, rejection
from trainc.plan.fields import Object, items, mapping, number, text
from trainc.quantity import is_quantity, nanos
from trainc.systems.shared.validation.conflicts import CLAIM_CONFLICTS, owner_errors
from trainc.systems.shared.validation.names import label_errors, metadata_errors, object_errors, pair_errors
from trainc.systems.shared.validation.values import LARGEST_PORT, is_ip, is_port

# Types of metrics, and the fields of their targets, of which they need one.
_METRICS = {
    "Resource": ("averageUtilization", "averageValue"),
    "ContainerResource": ("averageUtilization", "averageValue"),
    "Pods": ("averageValue",),
    "Object": ("averageValue", "value"),
    "External": ("averageValue", "value"),
}
_TARGETS = ("averageUtilization", "averageValue", "value")
_LONGEST_WINDOW, _LONGEST_PERIOD = 3600, 1800  # seconds
_NAME = re.compile("[a-z]([-a-z0-9]{0,61}[a-z0-9])?")  # DNS-1035
_EXPOSED = ("NodePort", "LoadBalancer")


def _autoscaler_errors(resource: Object) -> Iterator[Finding]:
    """Yield the errors of an autoscaler."""
    yield from object_errors(resource)
    spec = mapping(resource, "spec")
    for field in ("kind", "name"):
        if not text(spec, "scaleTargetRef", field):
            yield rejection(f"the target has no {field}", "spec", "scaleTargetRef", field, help=f"set `{field}`")
    least, most = number(spec, "minReplicas"), number(spec, "maxReplicas")
    metrics = items(spec, "metrics")
    may_be_zero = any(text(each, "type") in ("External", "Object") for each in metrics)
    if least is not None and (least < 0 or (least == 0 and not may_be_zero)):
        yield rejection(f"minReplicas must not be {least}", "spec", "minReplicas", help="set a number from 1")
    if most is not None and most < 1:
        yield rejection(f"maxReplicas must not be {most}", "spec", "maxReplicas", help="set a number from 1")
    elif most is not None and least is not None and most < least:
        reason = f"maxReplicas of {most} is less than minReplicas of {least}"
        yield rejection(reason, "spec", "maxReplicas", help=f"set at least {least}")
    for index, metric in enumerate(metrics):
        yield from _metric(metric, "spec", "metrics", index)
    for direction in ("scaleUp", "scaleDown"):
        yield from _rules(mapping(spec, "behavior", direction), "spec", "behavior", direction)


def _metric(metric: Object, *path: str | int) -> Iterator[Finding]:
    kind = text(metric, "type")
    if kind not in _METRICS:
        return  # an error of the schema
    field = kind[:1].lower() + kind[1:]
    sources = [name for name, value in metric.items() if name != "type" and value is not None]
    if field not in sources:
        yield rejection(f"a metric of type {kind} requires `{field}`", *path, help=f"set `{field}`")
        return
    for other in sources:
        if other != field:
            yield rejection(f"a metric of type {kind} can't have `{other}`", *path, other, help="remove it")
    target, where = mapping(metric, field, "target"), (*path, field, "target")
    names = _METRICS[kind]
    targets = [name for name in _TARGETS if target.get(name) is not None]
    if not [name for name in targets if name in names]:
        help_ = f"set `{names[0]}`"
        yield rejection(f"the target of a metric of type {kind} requires {' or '.join(names)}", *where, help=help_)
    elif len(targets) > 1 and "averageUtilization" in targets and "averageValue" in targets:
        yield rejection("a target has one value", *where, "averageValue", help="remove one of them")
    utilization = number(target, "averageUtilization")
    if utilization is not None and utilization < 1:
        yield rejection("averageUtilization must be positive", *where, "averageUtilization", help="set a percentage")
    for name in ("averageValue", "value"):
        value = text(target, name)
        if is_quantity(value) and nanos(value) <= 0:
            yield rejection(f"{name} must be positive", *where, name, help="set a positive quantity")


def _rules(rules: Object, *path: str | int) -> Iterator[Finding]:
    window = number(rules, "stabilizationWindowSeconds")
    if window is not None and not 0 <= window <= _LONGEST_WINDOW:
        reason = f"a stabilization window has 0 to {_LONGEST_WINDOW} seconds, not {window}"
        yield rejection(reason, *path, "stabilizationWindowSeconds", help=f"set at most {_LONGEST_WINDOW}")
    for index, policy in enumerate(items(rules, "policies")):
        where, value, period = (*path, "policies", index), number(policy, "value"), number(policy, "periodSeconds")
        if value is not None and value < 1:
            yield rejection("the value of a policy must be positive", *where, "value", help="set a number from 1")
        if period is not None and not 1 <= period <= _LONGEST_PERIOD:
            reason = f"the period of a policy has 1 to {_LONGEST_PERIOD} seconds, not {period}"
            yield rejection(reason, *where, "periodSeconds", help=f"set a number from 1 to {_LONGEST_PERIOD}")


def _service_errors(resource: Object) -> Iterator[Finding]:
    """Yield the errors of a Service."""
    name, spec = text(resource, "metadata", "name"), mapping(resource, "spec")
    if name and not _NAME.fullmatch(name):
        help_ = "use at most 63 lowercase letters, digits and dashes, with a letter first"
        yield rejection(f"`{name}` is not the name of a Service", "metadata", "name", help=help_)
    yield from metadata_errors(mapping(resource, "metadata"), "metadata")
    yield from pair_errors(mapping(spec, "selector"), "label", "spec", "selector")
    kind, address = text(spec, "type") or "ClusterIP", text(spec, "clusterIP")
    if kind == "ExternalName":
        if not text(spec, "externalName"):
            reason = "a Service of type ExternalName requires an externalName"
            yield rejection(reason, "spec", "externalName", help="set `externalName`")
    elif not items(spec, "ports") and address != "None":
        help_ = "add a port, or set `clusterIP: None`"
        yield rejection("a Service that is not headless requires a port", "spec", "ports", help=help_)
    if address == "None" and kind in _EXPOSED:
        reason = f"a headless Service can't have type {kind}"
        yield rejection(reason, "spec", "clusterIP", help="remove the type, or clusterIP")
    elif address and address != "None" and not is_ip(address):
        help_ = "write None for a headless Service, or remove it"
        yield rejection(f"`{address}` is neither None nor an IP address", "spec", "clusterIP", help=help_)
    if text(spec, "externalTrafficPolicy") and kind not in _EXPOSED:
        reason = "externalTrafficPolicy requires the type NodePort or LoadBalancer"
        yield rejection(reason, "spec", "externalTrafficPolicy", help="remove it")
    yield from _ports(spec, kind)


def _ports(spec: Object, kind: str) -> Iterator[Finding]:
    ports, names, numbers = items(spec, "ports"), set[str](), set[tuple[object, str]]()
    for index, port in enumerate(ports):
        where, name = ("spec", "ports", index), text(port, "name")
        value, target = number(port, "port"), port.get("targetPort")
        if not name and len(ports) > 1:
            yield rejection("one of several ports requires a name", *where, "name", help="set `name`")
        yield from label_errors(name, "port name", *where, "name")
        if name and name in names:
            yield rejection(f"two ports are named `{name}`", *where, "name", help="rename one of them")
        names.add(name)
        if value is not None and not 1 <= value <= LARGEST_PORT:
            help_ = f"set a number from 1 to {LARGEST_PORT}"
            yield rejection(f"{value} is not a port", *where, "port", help=help_)
        key = (value, text(port, "protocol") or "TCP")
        if key in numbers:
            yield rejection(f"two ports have the number {value}", *where, "port", help="remove one of them")
        numbers.add(key)
        if target not in (None, "", 0) and not is_port(target):
            reason = f"`{target}` is neither a port nor the name of a port"
            help_ = f"set a number from 1 to {LARGEST_PORT}, or the name of a port"
            yield rejection(reason, *where, "targetPort", help=help_)
        if number(port, "nodePort") and kind not in _EXPOSED:
            reason = f"nodePort requires the type NodePort or LoadBalancer, not {kind}"
            yield rejection(reason, *where, "nodePort", help="remove it, or set `type: NodePort`")


class Companion(NamedTuple):
    """Schema document of a kind, and the function that yields the errors of an object that has its schema."""

    schema: str
    errors: Callable[[Object], Iterator[Finding]]


def companion(resource: Object) -> Companion | None:
    """Return what is known about the kind of an object."""
    return _COMPANIONS.get((text(resource, "apiVersion"), text(resource, "kind")))


def _claim_errors(resource: Object) -> Iterator[Finding]:
    yield from object_errors(resource)
    for conflict in CLAIM_CONFLICTS:
        yield from owner_errors(conflict, [((), resource)], resource)


_COMPANIONS = {
    ("v1", "Service"): Companion("workloads/service.json", _service_errors),
    ("autoscaling/v2", "HorizontalPodAutoscaler"): Companion(
        "workloads/horizontalpodautoscaler.json", _autoscaler_errors
    ),
    ("v1", "PersistentVolumeClaim"): Companion("workloads/persistentvolumeclaim.json", _claim_errors),
    ("policy/v1", "PodDisruptionBudget"): Companion("workloads/poddisruptionbudget.json", object_errors),
}
