"""Rejections of a HorizontalPodAutoscaler by the API server.

https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/apis/autoscaling/validation/validation.go
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.diagnostics.finding import Finding, rejection
from trainc.plan.fields import Object, items, mapping, number, text
from trainc.quantity import is_quantity, nanos
from trainc.systems.shared.validation.names import object_errors

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


def errors(resource: Object) -> Iterator[Finding]:
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
