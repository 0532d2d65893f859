"""Success of every worker, on a system whose operator asks only the launcher."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, no_effect

TRIGGERS = ("lifecycle.successPolicy",)


def check(context: RuleContext) -> Diagnostics:
    """Report `All` where the launcher decides: that of a launcher pod, or worker 0's."""
    system = context.system
    if context.spec.lifecycle.success_policy == "All" and (system.has_launcher_pod or system.starts_launcher):
        reason = "the job succeeds when its launcher does"
        yield no_effect(context, "spec.lifecycle.successPolicy", reason, "remove it", removable=True)
