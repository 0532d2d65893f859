"""Changes of a paused or resumed TrainJob: its trainer is immutable, and so are most fields of its JobSet's pods.

Since Trainer 2.3 a TrainJob keeps the copy of its runtime from its start, even while it is suspended:
https://github.com/kubeflow/trainer/blob/v2.3.0/pkg/runtime/core/snapshot.go
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.checks.shared.helps import delete_first
from trainc.systems.jobset.facts import MUTABLE
from trainc.systems.trainjob.facts import WITH_COPIES

TRIGGERS = ("mode",)


def check(context: RuleContext) -> Diagnostics:
    if context.spec.paused_spec is None:
        return
    is_copied = context.job.runtime is None and context.target.controller_version in WITH_COPIES
    for name, entry in context.spec.mode.node.entries.items():
        if name in MUTABLE and not is_copied:
            continue
        message = f"`{name}` of a TrainJob cannot change, even of a suspended one"
        if is_copied:
            message = f"the TrainJob keeps the runtime that it was created with: `{name}` has no effect"
        yield warning(codes.IMMUTABLE_JOB, message, entry.key.span, help=delete_first(context))
