"""Changes of a custom resource that the rules of its CRD refuse, and of any job that Kueue's webhooks refuse."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.diff.live import is_live
from trainc.plan.fields import Object, at, text
from trainc.plan.models import is_suspended
from trainc.schema.rules.transitions import immutable_fields
from trainc.systems import registry
from trainc.systems.shared.changes import Change, Refusal, refusals
from trainc.target import Target
from trainc.well_known import QUEUE_LABEL


def refusals_of_crd(change: Change) -> Iterator[Refusal]:
    """Yield the refusals of changes in immutable fields."""
    name = _schema(change)
    for path in sorted(immutable_fields(name, change.old, change.new)) if name else ():
        field = "".join(step if step.startswith("[") else f".{step}" for step in path).removeprefix(".")
        yield from refusals(change.below(*path), f"{field} is immutable")


def _schema(change: Change) -> str:
    """Return the file with the schema of an object; empty without one."""
    kind, version = text(change.new, "kind"), text(change.new, "apiVersion")
    own = registry.of_kind(kind, version)
    system = own or registry.of_template(kind, version)
    if system is None or version not in system.traits.api_versions[:1] or not system.traits.operator:
        return ""
    target = Target(versions=change.releases).for_resource(system.traits, version)
    return target.schema if own else next(iter(target.pod_schema or ()), "")


def refusals_of_kueue(change: Change) -> Iterator[Refusal]:
    """Yield the refusals of another queue for a job that isn't suspended; Kueue suspends live ones that wait.

    Read in the source, not run: validateUpdateForQueueName in
    https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/pkg/controller/jobframework/validation.go
    """
    old, new = change.values("metadata", "labels", QUEUE_LABEL)
    system = registry.of_kind(text(change.new, "kind"), text(change.new, "apiVersion"))
    if old == new or system is None or system.traits.queued == "never":
        return
    if not _is_paused(change.new) and not (is_live(change.old) and _is_paused(change.old)):
        fields = change.below("metadata", "labels", QUEUE_LABEL)
        yield from refusals(fields, "Kueue refuses another queue for a job that is not suspended")


def _is_paused(resource: Object) -> bool:
    return is_suspended(resource) or at(resource, "spec", "replicas") == 0
