"""Objects of Kubernetes' own that stand beside a job: their schemas, and what the API server rejects in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from trainc.diagnostics.finding import Finding
from trainc.plan.fields import Object, text
from trainc.systems.shared.validation import autoscaler, service
from trainc.systems.shared.validation.conflicts import CLAIM_CONFLICTS, owner_errors
from trainc.systems.shared.validation.names import object_errors


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
    ("v1", "Service"): Companion("workloads/service.json", service.errors),
    ("autoscaling/v2", "HorizontalPodAutoscaler"): Companion(
        "workloads/horizontalpodautoscaler.json", autoscaler.errors
    ),
    ("v1", "PersistentVolumeClaim"): Companion("workloads/persistentvolumeclaim.json", _claim_errors),
    ("policy/v1", "PodDisruptionBudget"): Companion("workloads/poddisruptionbudget.json", object_errors),
}
