"""Changes of a custom resource that the API server refuses, by the rules of its CRD."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.plan.fields import text
from trainc.schema.rules.transitions import immutable_fields
from trainc.systems import registry
from trainc.systems.shared.changes import Change, Refusal, refusals
from trainc.target import Target


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
