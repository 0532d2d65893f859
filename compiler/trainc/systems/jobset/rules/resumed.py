"""Changes of a paused or resumed JobSet, whose pod templates are mostly immutable: ValidateUpdate of
https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/webhooks/jobset_webhook.go
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.checks.shared.helps import delete_first
from trainc.systems.jobset.facts import MUTABLE

TRIGGERS = ("mode",)


def check(context: RuleContext) -> Diagnostics:
    if context.spec.paused_spec is None:
        return
    for name, entry in context.spec.mode.node.entries.items():
        if name not in MUTABLE:
            message = f"`{name}` of a JobSet cannot change, even of a suspended one"
            yield warning(codes.IMMUTABLE_JOB, message, entry.key.span, help=delete_first(context))
