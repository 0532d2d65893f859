"""What the chosen Kubernetes can't do yet, and what a StatefulSet does to a program that ends."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, warning
from trainc.spec.launch import Deepspeed


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """By back end, as far as it concerns how the job ends."""
    if context.backend.name == "job":
        yield from _success_policy(context)
    if context.backend.name == "statefulset" and context.spec.mode.name == "run" and not context.job.ends_itself:
        message = "a StatefulSet starts a program again when it has ended: the job trains until you delete it"
        help_ = "use the back end job for training that ends"
        if context.job.namespace is None:
            help_ += ", or give the namespace: then worker 0 may scale the set down when it is done"
        yield warning(codes.RESTARTS_AFTER_COMPLETION, message, context.job.origin, help=help_)


def _success_policy(context: RuleContext) -> Iterator[Diagnostic]:
    from trainc.systems.job.objects import SUCCESS_POLICY

    # Over ssh, worker 0 tells the others when it is done, and all succeed.
    if isinstance(context.spec.launch, Deepspeed) and context.spec.launch.transport == "ssh":
        return
    if context.job.leader_decides and context.target.minor < SUCCESS_POLICY:
        message = (
            f"Kubernetes 1.{context.target.minor} has no Job that is done when worker 0 is: all workers must succeed"
        )
        where = (
            context.spec.lifecycle.where("successPolicy")
            if context.spec.elastic is None
            else context.spec.where("elastic")
        )
        help_ = f"the Job's successPolicy needs --kubernetes-version 1.{SUCCESS_POLICY} or newer"
        yield warning(codes.KUBERNETES_TOO_OLD, message, where, help=help_)
