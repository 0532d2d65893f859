"""A finished JobSet that its time to live deletes, and that Kubeflow Trainer creates again.

Reconcile of pkg/controller/trainjob_controller.go: v2.1.0 applies the JobSet of a finished TrainJob, too; v2.2.0
and v2.3.0 don't, but they first remove the condition Failed, unless its reason is the deadline.
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, note, remove

TRIGGERS = ("lifecycle.ttlSecondsAfterFinished", "lifecycle.cleanPodPolicy")

_TTL = ("ttlSecondsAfterFinished", "cleanPodPolicy")


def check(context: RuleContext) -> Diagnostics:
    """Report a job that trains again, without end in Trainer 2.1."""
    if context.job.ttl_seconds_after_finished is None or context.job.runtime is not None:
        return
    where, release = context.spec.lifecycle.where(*_TTL), context.target.controller_version
    if release == "2.1":
        message = "training starts again, without end: Trainer 2.1 creates the JobSet again that this deletes"
        help_ = "remove it, or use Trainer 2.2 or newer"
        yield error(codes.RESTARTS_AFTER_COMPLETION, message, where, help=help_, remedy=remove(where))
    else:
        message = f"a failed job starts again: Trainer {release} creates the failed JobSet again that this deletes"
        yield note(
            codes.RESTARTS_AFTER_COMPLETION, message, where, help="remove it, or delete a failed TrainJob in time"
        )
