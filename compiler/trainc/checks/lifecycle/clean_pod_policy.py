"""What is left of a finished job, where Kubernetes leaves something else."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error, warning

TRIGGERS = ("lifecycle.cleanPodPolicy",)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """The policy against the time that the job is kept, and against what the back end can do."""
    lifecycle = context.spec.lifecycle
    policy = lifecycle.clean_pod_policy
    if context.system.cleans_pods:
        return  # whose operator has this very policy, and keeps its object
    if policy == "All" and lifecycle.ttl_seconds_after_finished:
        other = Related(span=lifecycle.where("ttlSecondsAfterFinished"), message="the time that they are kept")
        message = "no pod is to be left of the finished job, and all are to be kept for a while"
        help_ = "give one of cleanPodPolicy: All and ttlSecondsAfterFinished"
        yield error(
            codes.CLEAN_POD_POLICY_CONFLICT, message, lifecycle.where("cleanPodPolicy"), help=help_, related=[other]
        )
        return
    system = context.system
    found = _job(policy) if system.ends and system.has_controller else _other(context, policy)
    if found and policy is not None:
        reason, help_ = found
        message = f"`spec.lifecycle.cleanPodPolicy` has no effect on the back end {system.name}: "
        yield warning(codes.UNSUPPORTED_BY_BACKEND, message + reason, lifecycle.where("cleanPodPolicy"), help=help_)


def _job(policy: str | None) -> tuple[str, str] | None:
    """https://kubernetes.io/docs/concepts/workloads/controllers/job/#job-termination-and-cleanup"""
    if policy != "None":
        return None
    return "when a Job finishes Kubernetes ends the pods that still run", "leave it out, or use the back end pods"


def _other(context: RuleContext, policy: str | None) -> tuple[str, str] | None:
    """Bare Pods stay, and so does a StatefulSet, unless worker 0 takes all of its pods down."""
    if not context.system.ends and context.job.ends_itself:
        if policy == "None":
            return "worker 0 scales it to zero when it is done", "add stopWhenDone: false, or leave this out"
        reason = "when worker 0 is done all pods go, finished ones too"
        return None if policy == "All" else (reason, "use All, or the back end job")
    if policy == "None" or context.spec.mode.name != "run":
        return None
    reason = "it never finishes" if not context.system.ends else "nothing deletes bare Pods"
    return reason, "use the back end job"
