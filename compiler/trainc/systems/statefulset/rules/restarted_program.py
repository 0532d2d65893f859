"""Programs that end: a StatefulSet starts them again."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, warning

TRIGGERS = ("always()",)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy: a StatefulSet's is Always."""
    if context.spec.mode.name == "run" and not context.job.ends_itself:
        message = "a StatefulSet starts a program again when it has ended: the job trains until you delete it"
        help_ = "use the back end job for training that ends"
        if context.job.namespace is None:
            help_ += ", or give the namespace: then worker 0 may scale the set down when it is done"
        yield warning(codes.RESTARTS_AFTER_COMPLETION, message, context.job.origin, help=help_)
