"""Jobs without the label `team`, by which an organization charges costs."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, warning
from trainc.diagnostics.codes import Code

TRIGGERS = ("always()",)
NO_TEAM = Code("TOY0001", "no-team", pages="https://checks.example.com")


def check(context: RuleContext) -> Diagnostics:
    """Require the label on every job."""
    if "team" not in context.spec.metadata.labels:
        yield warning(NO_TEAM, "the job has no label `team`", context.job.origin, help="add metadata.labels.team")
