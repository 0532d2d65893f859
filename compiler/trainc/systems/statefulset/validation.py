"""What the API server rejects in a StatefulSet.

https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/apis/apps/validation/validation.go
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.diagnostics.finding import REMOVE, Finding, rejection
from trainc.kubernetes_fields import Field
from trainc.plan.fields import Object, items, mapping, number, text
from trainc.systems.shared.validation.conflicts import CLAIM_CONFLICTS, owner_errors
from trainc.systems.shared.validation.names import label_errors, object_errors
from trainc.systems.shared.validation.pod import template_errors
from trainc.systems.shared.validation.selectors import matches, selector_errors
from trainc.systems.shared.validation.values import values_at

NEW_FIELDS = (Field(("updateStrategy.rollingUpdate.maxUnavailable",), 24, 37, "MaxUnavailableStatefulSet"),)
_TEMPLATE = ("spec", "template")
_IDENTITY = ("hostname", "subdomain")
_COUNTS: tuple[tuple[str, ...], ...] = (
    ("replicas",),
    ("minReadySeconds",),
    ("ordinals", "start"),
    ("updateStrategy", "rollingUpdate", "partition"),
)


def errors(resource: Object) -> Iterator[Finding]:
    """Yield the errors."""
    yield from object_errors(resource)
    name = text(resource, "metadata", "name")
    if "." in name:
        yield rejection(f"name `{name}` has dots", "metadata", "name", help="replace the dots")
    spec, template = mapping(resource, "spec"), mapping(resource, *_TEMPLATE)
    for path in _COUNTS:
        if (number(spec, *path) or 0) < 0:
            yield rejection(f"{path[-1]} must not be negative", "spec", *path, help="set a number from 0")
    yield from _selector(spec, mapping(template, "metadata", "labels"))
    yield from label_errors(text(spec, "serviceName"), "serviceName", "spec", "serviceName")
    strategy = mapping(spec, "updateStrategy")
    if text(strategy, "type") == "OnDelete" and strategy.get("rollingUpdate") is not None:
        reason = "updateStrategy OnDelete takes no rollingUpdate"
        yield rejection(reason, "spec", "updateStrategy", "rollingUpdate", help="remove it", fix=REMOVE)
    pod = mapping(template, "spec")
    if text(pod, "restartPolicy") not in ("", "Always"):
        reason = f"pods of a StatefulSet must have restartPolicy Always, not {text(pod, 'restartPolicy')}"
        path = (*_TEMPLATE, "spec", "restartPolicy")
        yield rejection(reason, *path, help="remove it, or use a Job, which ends", fix=REMOVE)
    if pod.get("activeDeadlineSeconds") is not None:
        path = (*_TEMPLATE, "spec", "activeDeadlineSeconds")
        yield rejection(
            "pods of a StatefulSet can't have a deadline", *path, help="remove it, or use a Job", fix=REMOVE
        )
    for conflict in CLAIM_CONFLICTS:
        owners = values_at(spec, ["volumeClaimTemplates[]"])
        yield from owner_errors(conflict, owners, pod, "spec")
    claims = frozenset(text(claim, "metadata", "name") for claim in items(spec, "volumeClaimTemplates"))
    # The controller replaces hostname and subdomain, which therefore aren't validated.
    identified = {**template, "spec": {name: value for name, value in pod.items() if name not in _IDENTITY}}
    yield from template_errors(identified if pod else template, *_TEMPLATE, more_volumes=claims)


def _selector(spec: Object, labels: Object) -> Iterator[Finding]:
    if "selector" not in spec:
        return  # which the schema reports
    selector, path = mapping(spec, "selector"), ("spec", "selector")
    problems = list(selector_errors(selector, *path))
    yield from problems
    if not mapping(selector, "matchLabels") and not items(selector, "matchExpressions"):
        help_ = "set matchLabels to the labels of the template"
        yield rejection("an empty selector selects no pods", *path, help=help_)
    elif not problems and not matches(selector, labels):
        reason = "the selector doesn't match the labels of the template"
        yield rejection(reason, *_TEMPLATE, "metadata", "labels", help="write the selector's labels in the template")
