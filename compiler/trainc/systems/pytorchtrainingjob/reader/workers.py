"""Merge the replicaSpecs of a PyTorchTrainingJob into one list of workers, in the order of the ranks.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/pytorchtrainingjob.md#弹性训练
"""

from __future__ import annotations

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import warning
from trainc.record import Record
from trainc.source.node import Scalar, scalar_text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.replicas import WorkerBounds, count_node, elastic_fields, report_unreached_maximum
from trainc.systems.shared.reader.role_differences import report_differences
from trainc.systems.shared.t9k.fields import BOUNDS, EXPECTED
from trainc.systems.shared.t9k.reader import correct_names, enabled_elastic, remove_restart_policy, replica_count

FIELDS = ("type", "replicas", "scalingWeight", "template", "restartPolicy")


class MergedRoles(Record):
    """The role whose template all workers get, its type, the number of all pods, and the type of rank 0.

    `count` is the number at the position of the role's replicas.
    """

    main: ForeignMapping
    template: ForeignMapping
    type: str
    total: int
    first_type: str
    count: Scalar


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
    main = roles[largest]
    for index, role in enumerate(roles):
        if index != largest:
            _merge(role, main, (types[largest], types[index]), (templates[largest], templates[index]))
    if len(roles) == 1 and main.consume("scalingWeight") is not None:
        main.report.add_change("`scalingWeight` has no effect on a single role", main.where("scalingWeight"))
    return MergedRoles(
        main=main,
        template=templates[largest],
        type=types[largest],
        total=sum(counts),
        first_type=types[0],
        count=count_node(main, "replicas", sum(counts)),
    )


def _merge(
    role: ForeignMapping, main: ForeignMapping, types: tuple[str, str], templates: tuple[ForeignMapping, ForeignMapping]
) -> None:
    main_name, name = (f"the {pod_type}" for pod_type in types)
    report_differences(*templates, (main_name, name))
    policies = [scalar_text(each.node.get("restartPolicy")) for each in (main, role)]
    role.ignore("restartPolicy")
    if policies[0] != policies[1]:
        message = f"{name} and {main_name} differ in `restartPolicy`; all workers get {main_name}'s value"
        key = main.key("restartPolicy") if "restartPolicy" in main else None
        related = [(key.span, f"{main_name}'s value")] if key is not None else []
        where = role.where("restartPolicy").first
        role.report.diagnostics.append(warning(codes.ROLE_PODS_DIFFER, message, where, related=related))


def worker_bounds(spec: ForeignMapping, roles: MergedRoles, with_torchrun: bool) -> WorkerBounds:
    """Return the number of pods; only torchrun can be elastic."""
    total = roles.total
    fixed = WorkerBounds(minimum=total, maximum=total, workers=roles.count if total > 1 else None)
    section = enabled_elastic(spec, "" if with_torchrun else "it requires torchrunConfig")
    if section is None:
        return fixed
    low, high, expected = (section.integer(name) for name in BOUNDS)
    start = expected if expected is not None else total
    minimum = low if low is not None else start
    maximum = high if high is not None else max(minimum, start)
    if minimum == maximum:
        return fixed.replace(minimum=minimum, maximum=maximum, workers=maximum if maximum > 1 else None)
    workers = count_node(section, EXPECTED, expected) if expected is not None else roles.count
    # The controller has no metrics: a user edits expectedReplicas.
    elastic = elastic_fields(section, minimum, maximum)
    report_unreached_maximum(section, start, maximum)
    return WorkerBounds(minimum=minimum, maximum=maximum, workers=workers, elastic=elastic)
