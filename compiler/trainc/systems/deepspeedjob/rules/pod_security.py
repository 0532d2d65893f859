"""Pod Security Standards: the pods that T9k's operator creates are not documented."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, use_backend

TRIGGERS = ("podSecurity",)


def check(context: RuleContext) -> Diagnostics:
    """Reject the standards.

    The operator adds a launcher pod, sshd and keys in /root/.ssh, for which the containers run as root.
    """
    if context.spec.pod_security is not None:
        message = Message(
            "`{podSecurity: {}}` is not known to hold for pods of T9k's operator", context.spec.pod_security
        )
        yield error(codes.POD_SECURITY_VIOLATION, message, context.spec.where("podSecurity"), help=use_backend("job"))
