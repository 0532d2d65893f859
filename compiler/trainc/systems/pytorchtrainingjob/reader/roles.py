"""Merge the replicaSpecs of a PyTorchTrainingJob into one list of workers; the list's order is the ranks' order."""

from __future__ import annotations

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Related, warning
from trainc.record import Record
from trainc.source.node import Scalar, scalar_text
from trainc.span import Span
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.replicas import report_differences
from trainc.systems.shared.t9k.reader import correct_names, remove_restart_policy, replica_count

FIELDS = ("type", "replicas", "scalingWeight", "template", "restartPolicy")


class MergedRoles(Record):
    """The role whose template all workers get, its type, the number of all pods, and the type of rank 0."""

    kept: ForeignMapping
    template: ForeignMapping
    type: str
    total: int
    first_type: str
    where: Span

    def worker_count(self) -> Scalar:
        """Return the number of all pods, at the position of the kept role's replicas."""
        return Scalar(self.total, str(self.total), self.where)


def merge_roles(spec: ForeignMapping) -> MergedRoles | None:
    """Return the roles, or None if there are no roles or one has no template."""
    roles = [item for item in spec.sections("replicaSpecs") if correct_names(item, *FIELDS)]
    counts = [replica_count(role, "replicas") for role in roles]
    types = [role.string("type") or "worker" for role in roles]
    sections = [role.section("template") for role in roles]
    templates = [template for template in sections if template is not None]
    if not roles or len(templates) < len(roles):
        return None
    for role, template in zip(roles, templates, strict=True):
        remove_restart_policy(template, f"{role.path}.restartPolicy")
    largest = max(range(len(roles)), key=lambda index: (counts[index], index))
    kept = roles[largest]
    for index, role in enumerate(roles):
        if index != largest:
            _merge(role, kept, (types[largest], types[index]), (templates[largest], templates[index]))
    if len(roles) == 1:
        kept.ignore("scalingWeight")  # a single role needs no weight
    return MergedRoles(
        kept=kept,
        template=templates[largest],
        type=types[largest],
        total=sum(counts),
        first_type=types[0],
        where=kept.where("replicas") if "replicas" in kept else kept.node.span.first,
    )


def _merge(
    role: ForeignMapping,
    kept: ForeignMapping,
    types: tuple[str, str],
    templates: tuple[ForeignMapping, ForeignMapping],
) -> None:
    kept_name, name = (f"the {pod_type}" for pod_type in types)
    report_differences(*templates, (kept_name, name), role.report)
    policies = [scalar_text(each.node.get("restartPolicy")) for each in (kept, role)]
    role.ignore("restartPolicy")
    if policies[0] != policies[1]:
        message = f"{name} and {kept_name} differ in `restartPolicy`; all workers get {kept_name}'s value"
        key = kept.key("restartPolicy") if "restartPolicy" in kept else None
        related = [Related(span=key.span, message=f"{kept_name}'s value")] if key is not None else []
        where = role.where("restartPolicy").first
        role.report.diagnostics.append(warning(codes.ROLE_PODS_DIFFER, message, where, related=related))
