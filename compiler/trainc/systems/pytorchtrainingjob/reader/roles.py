"""replicaSpecs of a PyTorchTrainingJob as one list of workers. Their ranks are in the order of the list."""

from __future__ import annotations

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Related, warning
from trainc.record import Record
from trainc.source.node import Node, Scalar, scalar_text
from trainc.span import Span
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.replicas import report_differences
from trainc.systems.shared.t9k.reader import correct_names, remove_restart_policy, replica_count

FIELDS = ("type", "replicas", "scalingWeight", "template", "restartPolicy")


class MergedRoles(Record):
    """The role that stands for all, its template and its type; how many pods all have, `first` of which is rank 0."""

    kept: ForeignMapping
    template: ForeignMapping
    type: str
    total: int
    first: str
    where: Span

    def worker_count(self) -> Node:
        """How many, at the place of the kept role's number."""
        return Scalar(self.total, str(self.total), self.where)


def merge_roles(spec: ForeignMapping) -> MergedRoles | None:
    """None when there is nothing to run."""
    found = [item for item in spec.sections("replicaSpecs") if correct_names(item, *FIELDS)]
    counts = [replica_count(item, "replicas") for item in found]
    types = [item.string("type") or "worker" for item in found]
    templates = [item.section("template") for item in found]
    if not found or None in templates:
        return None
    given = [template for template in templates if template is not None]
    for item, template in zip(found, given, strict=True):
        remove_restart_policy(template, f"{item.path}.restartPolicy")
    at = max(range(len(found)), key=lambda number: (counts[number], number))
    kept = found[at]
    for number, item in enumerate(found):
        if number != at:
            _merge(item, kept, (types[at], types[number]), (given[at], given[number]))
    if len(found) == 1:
        kept.ignore("scalingWeight")  # what it would be weighed against
    where = kept.where("replicas") if "replicas" in kept else kept.node.span.first
    return MergedRoles(kept=kept, template=given[at], type=types[at], total=sum(counts), first=types[0], where=where)


def _merge(
    item: ForeignMapping, kept: ForeignMapping, types: tuple[str, str], templates: tuple[ForeignMapping, ForeignMapping]
) -> None:
    report_differences(*templates, (f"the {types[0]}", f"the {types[1]}"), item.report)
    policies = [scalar_text(one.node.get("restartPolicy")) for one in (kept, item)]
    item.ignore("restartPolicy")
    if policies[0] != policies[1]:
        message = f"the {types[1]} and the {types[0]} differ in `restartPolicy`, and all workers get the {types[0]}'s"
        given = kept.key("restartPolicy") if "restartPolicy" in kept else None
        related = [Related(span=given.span, message=f"the {types[0]}'s")] if given is not None else []
        item.report.diagnostics.append(
            warning(codes.ROLE_PODS_DIFFER, message, item.where("restartPolicy").first, related=related)
        )
