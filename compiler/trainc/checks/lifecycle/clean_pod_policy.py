"""cleanPodPolicy that the back end cannot implement."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Related, RuleContext, codes, error, warning

TRIGGERS = ("lifecycle.cleanPodPolicy",)


def check(context: RuleContext) -> Diagnostics:
    """Compare the policy with ttlSecondsAfterFinished and with the back end."""
    lifecycle = context.spec.lifecycle
    policy = lifecycle.clean_pod_policy
    if context.system.cleans_pods:
        return  # the operator implements this policy and keeps its object
    if policy == "All" and lifecycle.ttl_seconds_after_finished:
        other = Related(span=lifecycle.where("ttlSecondsAfterFinished"), message="keeps them")
        message = "`cleanPodPolicy: All` conflicts with `ttlSecondsAfterFinished`, which keeps the finished pods"
        help_ = "remove one of them"
        yield error(
            codes.CLEAN_POD_POLICY_CONFLICT, message, lifecycle.where("cleanPodPolicy"), help=help_, related=[other]
        )
        return
    system = context.system
    problem = _of_job(policy) if system.ends and system.has_controller else _without_end(context, policy)
    if problem and policy is not None:
        reason, help_ = problem
        message = f"`spec.lifecycle.cleanPodPolicy` has no effect on the back end {system.name}: "
        yield warning(codes.UNSUPPORTED_BY_BACKEND, message + reason, lifecycle.where("cleanPodPolicy"), help=help_)


def _of_job(policy: str | None) -> tuple[str, str] | None:
    """https://kubernetes.io/docs/concepts/workloads/controllers/job/#job-termination-and-cleanup"""
    if policy != "None":
        return None
    return "Kubernetes terminates the running pods of a finished Job", "remove it, or use `--backend pods`"


def _without_end(context: RuleContext, policy: str | None) -> tuple[str, str] | None:
    """Bare Pods remain, and so does a StatefulSet, unless worker 0 scales it to zero."""
    if not context.system.ends and context.job.ends_itself:
        if policy == "None":
            return "worker 0 scales it to zero when it is done", "set `stopWhenDone: false`, or remove this"
        reason = "all pods are deleted when worker 0 is done"
        return None if policy == "All" else (reason, "use All, or `--backend job`")
    if policy == "None" or context.spec.mode.name != "run":
        return None
    reason = "it never finishes" if not context.system.ends else "nothing deletes bare Pods"
    return reason, "use `--backend job`"
