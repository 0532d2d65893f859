"""Paths and names that Kubernetes rejects only when the pods are created."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error
from trainc.pod_paths import invalid_names, invalid_paths
from trainc.span import span_of

TRIGGERS = ("podTemplate", "volumes")


def check(context: RuleContext) -> Diagnostics:
    """Require paths inside their volumes, and DNS labels as names."""
    for field, value, fault in invalid_paths(context.pod.values):
        message = f"`{field}: {value}` {fault}, which Kubernetes forbids"
        yield error(codes.INVALID_POD_PATH, message, span_of(value) or context.job.origin)
    for _, value, fault in invalid_names(context.pod.values):
        message = f"`{value}` {fault}: the API server rejects the pod"
        yield error(codes.INVALID_POD_NAME, message, span_of(value) or context.job.origin)
