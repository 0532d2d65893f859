"""Fields that the target Kubernetes lacks, or ignores by default."""

from __future__ import annotations

from trainc.checks.pod.pod_template import OWNED
from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.checks.shared.user_fields import patch_spec
from trainc.kubernetes_fields import OF_AUTOSCALER, OF_POD, new_fields
from trainc.spec.section import inside

TRIGGERS = ("podTemplate", "has_scaling_tolerance()")

_OF_POD = [field for field in OF_POD if OWNED.keys().isdisjoint(field.paths)]  # the others are errors already


def check(context: RuleContext) -> Diagnostics:
    if context.in_own_system:  # which foreign/own_system.py checks as it is written
        return
    minor = context.target.minor
    yield from (
        warning(codes.KUBERNETES_TOO_OLD, each.message, each.span, help=each.help)
        for owner, fields in ((patch_spec(context), _OF_POD), (inside(context.spec.node, "elastic"), OF_AUTOSCALER))
        for each in new_fields(owner, fields, minor)
    )
