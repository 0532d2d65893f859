"""Names of environment variables that an older Kubernetes rejects."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error
from trainc.kubernetes_fields import RELAXED_NAMES

TRIGGERS = ("sets_digit_name()",)


def check(context: RuleContext) -> Diagnostics:
    minor = context.target.minor
    for variable in context.job.pod.env if minor < RELAXED_NAMES else ():
        if variable.origin is not None and variable.name[:1].isdigit():
            message = f"Kubernetes 1.{minor} rejects the variable `{variable.name}`: its name starts with a digit"
            help_ = f"rename it, or set --kubernetes-version 1.{RELAXED_NAMES} or newer"
            yield error(codes.KUBERNETES_TOO_OLD, message, variable.origin, help=help_)
