"""Modes and values of cleanPodPolicy that the system does not implement."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Help, Message, RuleContext, codes, error, no_effect, use_backend, warning
from trainc.spec.section import inside, only_key
from trainc.well_known import JOB_LABEL

TRIGGERS = ("mode", "lifecycle.cleanPodPolicy")


def check(context: RuleContext) -> Diagnostics:
    """Compare the mode with the system, and the policy with ttlSecondsAfterFinished and the system."""
    system, lifecycle, where = context.system, context.spec.lifecycle, context.spec.where("mode")
    if context.job.paused and not system.has_controller:
        # Bare Pods keep running when the manifests no longer contain them.
        message = Message("`{mode: paused}` creates no Pods, but does not stop running Pods")
        help_: Help = f"stop them: kubectl delete pods -l {JOB_LABEL}={context.job.name}"
        yield warning(codes.UNSUPPORTED_BY_BACKEND, message, where, help=help_)
    if context.job.paused and system.no_pause:
        help_ = (f"run `kubectl delete {system.kind.lower()} {context.job.name}`", use_backend("job"))
        yield error(codes.PAUSE_UNSUPPORTED, f"{system.a_kind} cannot be paused: {system.no_pause}", where, help=help_)
    command = context.spec.mode.node.entries.get("command")
    if command is not None and context.spec.paused_spec is not None and not system.has_run_modes:
        key = only_key(inside(context.spec.node, "mode"))
        help_ = (Message("set `{run}` instead"), use_backend(lambda other: other.has_run_modes))
        reason = "the container's command starts the program"
        yield no_effect(context, f"spec.mode.{key}.command", reason, help_, command.key.span)
    if context.spec.mode.is_deferred and not system.has_run_modes:
        help_ = ("remove it until you pause the job", use_backend(lambda other: other.has_run_modes))
        where = inside(context.spec.node, "mode").where("run")
        yield no_effect(
            context, "spec.mode.run", f"{system.a_kind} has no settings for a later pause", help_, where, removable=True
        )
    policy = lifecycle.clean_pod_policy
    if not policy or system.cleans_pods:
        return
    if policy == "All" and lifecycle.ttl_seconds_after_finished:
        other = (lifecycle.where("ttlSecondsAfterFinished"), "keeps them")
        where = lifecycle.where("cleanPodPolicy")
        keeps = Message("`{lifecycle/ttlSecondsAfterFinished}`, which keeps the finished pods")
        message = Message("`{lifecycle/cleanPodPolicy: All}` conflicts with {}", keeps)
        yield error(codes.CLEAN_POD_POLICY_CONFLICT, message, where, help="remove one of them", related=[other])
    elif conflict := _conflict(context, policy):
        removable = system.ends and system.has_controller
        yield no_effect(context, "spec.lifecycle.cleanPodPolicy", *conflict, removable=removable)


def _ends_with_its_pod(context: RuleContext) -> bool:
    """Return whether no pod runs when the job has finished."""
    return context.job.replicas.maximum == 1 and context.spec.lifecycle.active_deadline_seconds is None


def _conflict(context: RuleContext, policy: str) -> tuple[str, Help] | None:
    """Return why the policy has no effect, and the remedy.

    Of a Job: https://kubernetes.io/docs/concepts/workloads/controllers/job/#job-termination-and-cleanup. Bare Pods
    remain, and so do pods of a set that never ends, unless worker 0 scales it to zero.
    """
    system = context.system
    if system.ends and system.has_controller:
        reason = "running pods of a finished job are always deleted, and finished ones are kept"
        help_ = ("remove it", use_backend(lambda other: other.cleans_pods or not other.has_controller))
        return (reason, help_) if policy == "None" and not _ends_with_its_pod(context) else None
    if not system.ends and context.job.ends_itself:
        if policy == "None":
            return "worker 0 scales it to zero when it is done", (
                Message("set `{lifecycle/stopWhenDone: false}`"),
                "remove this",
            )
        reason = "all pods are deleted when worker 0 is done"
        return None if policy == "All" else (reason, ("use All", use_backend("job")))
    if policy == "None" or context.spec.mode.name != "run":
        return None
    return "nothing deletes bare Pods" if system.ends else "it never finishes", use_backend("job")
