"""Translate the number of pods of a PyTorchTrainingJob.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/pytorchtrainingjob.md#弹性训练
"""

from __future__ import annotations

from trainc.systems.pytorchtrainingjob.reader.roles import MergedRoles
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.scale import WorkerBounds, count_node, elastic_fields
from trainc.systems.shared.t9k.reader import correct_names

NAMES = ("minReplicas", "maxReplicas", "expectedReplicas")


def worker_bounds(spec: ForeignMapping, roles: MergedRoles, with_torchrun: bool) -> WorkerBounds:
    """Return the number of pods; only torchrun can be elastic."""
    total = roles.total
    fixed = WorkerBounds(minimum=total, maximum=total, workers=roles.worker_count() if total > 1 else None)
    section = correct_names(spec.section("elastic"), "enabled", *NAMES)
    if section is None:
        return fixed
    enabled = section.boolean("enabled")
    if not enabled or not with_torchrun:
        if any(name in section for name in NAMES):
            why = "it requires torchrunConfig" if enabled else "it is not enabled"
            section.report.add_change(f"`spec.elastic` has no effect: {why}", spec.key("elastic").span)
        section.ignore(*NAMES)
        return fixed
    low, high, expected = (section.integer(name) for name in NAMES)
    start = expected if expected is not None else total
    minimum = low if low is not None else start
    maximum = high if high is not None else max(minimum, start)
    if minimum == maximum:
        return fixed.replace(minimum=minimum, maximum=maximum, workers=maximum if maximum > 1 else None)
    workers = count_node(section, "expectedReplicas", expected) if expected is not None else roles.worker_count()
    # The controller has no metrics: a user edits expectedReplicas.
    elastic = elastic_fields(section, minimum, maximum)
    return WorkerBounds(minimum=minimum, maximum=maximum, workers=workers, elastic=elastic)
