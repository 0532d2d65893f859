"""The operator's init container, which violates the Pod Security Standard `restricted`."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, use_backend

TRIGGERS = ("podSecurity",)


def check(context: RuleContext) -> Diagnostics:
    """Reject `restricted`: the container that waits for the Master has no security context: initContainerTemplate of
    pkg/controller.v1/pytorch/initcontainer.go in the training operator 1.9."""
    job = context.job
    if context.spec.pod_security == "restricted" and job.has_leader_role and job.replicas.maximum > 1:
        message = Message(
            "`{podSecurity: restricted}` forbids the init container that the training operator adds to workers"
        )
        help_ = use_backend("job")
        yield error(codes.POD_SECURITY_VIOLATION, message, context.spec.where("podSecurity"), help=help_)
