"""Elastic jobs, whose number of workers KubeRay changes only by the demand of the program.

enableInTreeAutoscaling of https://github.com/ray-project/kuberay/blob/v1.5.0/ray-operator/apis/ray/v1/raycluster_types.go:
Ray's autoscaler adds nodes for tasks that wait, and removes idle ones. Without it KubeRay keeps `replicas`, and submits
the program only once all of them are ready.
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, use_backend

TRIGGERS = ("elastic",)


def check(context: RuleContext) -> Diagnostics:
    """Reject a range of workers."""
    if context.spec.elastic is None or context.in_own_system:
        return
    message = "a RayJob has a fixed number of workers: Ray's autoscaler follows the tasks, not the job's size"
    help_ = (use_backend("job"), "remove it")
    yield error(codes.UNSUPPORTED_BY_BACKEND, message, context.spec.where("elastic"), help=help_)
