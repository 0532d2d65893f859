"""Programs that a StatefulSet restarts after they have completed."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Help, RuleContext, codes, use_backend, warning

TRIGGERS = ("always()",)


def check(context: RuleContext) -> Diagnostics:
    """https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy: a StatefulSet's is Always."""
    if context.spec.mode.name == "run" and not context.job.ends_itself:
        message = "a StatefulSet restarts a completed program: training runs until you delete it"
        help_: Help = use_backend("job")
        if context.in_own_system:
            help_ = "use a Job, which completes"
        elif context.job.namespace is None:
            own = "set the namespace, so that worker 0 can scale the set to zero when it is done"
            help_ = (use_backend("job"), own)
        yield warning(codes.RESTARTS_AFTER_COMPLETION, message, context.job.origin, help=help_)
