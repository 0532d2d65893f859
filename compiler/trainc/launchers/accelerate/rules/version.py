"""Options that the accelerate of the job lacks."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error
from trainc.launchers.accelerate.options import BY_NAME, FIELDS, AccelerateOption
from trainc.launchers.accelerate.spec import Accelerate
from trainc.launchers.option import version
from trainc.span import span_of
from trainc.spec.section import inside

TRIGGERS = ("launch.accelerate.accelerateVersion",)


def check(context: RuleContext) -> Diagnostics:
    """Report missing options: accelerate exits with a usage error."""
    launch = Accelerate.of(context.spec)
    if launch.accelerate_version is None:
        return
    required = []
    for row in FIELDS:
        if isinstance(row, AccelerateOption) and row.since:
            parent = row.field.split(".")[2:-1]
            node = inside(launch.node, parent[0]) if parent else launch.node
            if row.key in node.entries:
                required.append((row, node.where(row.key)))
    for word in launch.other_args:
        option = BY_NAME.get(word.partition("=")[0].lstrip("-").replace("-", "_"))
        if option is not None and option.since:
            required.append((option, span_of(word) or launch.where("otherArgs")))
    related = [(launch.where("accelerateVersion"), "the job's accelerate")]
    for row, where in required:
        if version(launch.accelerate_version) < version(row.since):
            have = f"accelerate {launch.accelerate_version} has no `--{row.name}`"
            message = f"{have}, which requires {row.since} or newer"
            yield error(codes.ACCELERATE_TOO_OLD, message, where, related=related)
