"""Fields that the target Kubernetes lacks, or ignores by default, and names that it rejects."""

from __future__ import annotations

from trainc.checks.pod.pod_template import OWNED
from trainc.checks.rule import Diagnostics, RuleContext, codes, error, warning
from trainc.checks.shared.user_fields import patch_spec
from trainc.kubernetes_fields import AUTOSCALER_FIELDS, POD_FIELDS, RELAXED_NAMES, new_fields
from trainc.source.node import Entry, Mapping, Scalar
from trainc.spec.section import inside

TRIGGERS = (
    "podTemplate",
    "securityContext",
    "has_scaling_tolerance()",
    "resources.claims",
    "network.nvlinkDomain",
    "sets_digit_name()",
)

# Fields that the rule `pod_template` doesn't reject.
_POD_FIELDS = [field for field in POD_FIELDS if OWNED.keys().isdisjoint(field.paths)]
# The job's own security context has those of the pod.
_OWN_FIELDS = [field for field in POD_FIELDS if any(path.startswith("securityContext.") for path in field.paths)]


def check(context: RuleContext) -> Diagnostics:
    yield from _fields(context)
    yield from _variable_names(context)


def _fields(context: RuleContext) -> Diagnostics:
    if context.in_own_system:  # judge/objects.py checks the original object
        return
    job, minor = context.spec.node, context.target.minor
    claims = _claims(context)
    owners = (
        (patch_spec(context), _POD_FIELDS),
        (job, _OWN_FIELDS),
        (inside(job, "elastic"), AUTOSCALER_FIELDS),
        (claims, _POD_FIELDS),
    )
    yield from (
        warning(codes.KUBERNETES_TOO_OLD, each.message, each.span, help=each.help)
        for owner, fields in owners
        for each in new_fields(owner, fields, minor)
    )


def _claims(context: RuleContext) -> Mapping:
    """Return the pod's claims of devices by the job's own fields, at the first of these; empty without one."""
    claims = context.job.pod.device_claims
    where = claims[0].origin if claims else None
    if where is None:
        return Mapping({}, context.job.origin)
    name = Scalar("resourceClaims", "resourceClaims", where)
    return Mapping({"resourceClaims": Entry(name, name)}, where)


def _variable_names(context: RuleContext) -> Diagnostics:
    minor = context.target.minor
    for variable in context.job.pod.env if minor < RELAXED_NAMES else ():
        if variable.origin is not None and variable.name[:1].isdigit():
            message = f"Kubernetes 1.{minor} rejects the variable `{variable.name}`: its name starts with a digit"
            help_ = f"rename it, or set --kubernetes-version 1.{RELAXED_NAMES} or newer"
            yield error(codes.KUBERNETES_TOO_OLD, message, variable.origin, help=help_)
