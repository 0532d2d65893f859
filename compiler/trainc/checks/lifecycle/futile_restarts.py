"""Restarts that cannot succeed: no failure is allowed, the rendezvous is closed, or no controller replaces the pod."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Related, RuleContext, codes, warning

TRIGGERS = ("lifecycle.restartPolicy", "lifecycle.backoffLimit", "lifecycle.backoffLimitPerIndex")


def check(context: RuleContext) -> Diagnostics:
    """Check the system's restarts, then the rendezvous."""
    lifecycle, failure = context.spec.lifecycle, context.job.failure
    policy = lifecycle.where("restartPolicy")
    if (
        context.system.supports("spec.lifecycle.backoffLimit")
        and context.system.container_restarts != "never"
        and lifecycle.restart_policy == "OnFailure"
        and failure.backoff_limit == 0
    ):
        # https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy
        message = "the first container restart ends the job: restarts count as failures, and the backoff limit is 0"
        limit_span = (
            lifecycle.where("backoffLimit") if lifecycle.backoff_limit == 0 else context.spec.where("shareFile")
        )
        other = Related(span=limit_span, message="sets the backoff limit to 0")
        help_ = "remove restartPolicy, or raise backoffLimit"
        yield warning(codes.FUTILE_RESTART, message, policy, help=help_, related=[other])
    elif not context.system.has_controller and lifecycle.restart_policy == "Never" and context.job.replicas.elastic:
        other = Related(span=context.spec.where("elastic"), message="the elastic range")
        message = "no controller replaces a failed Pod: the elastic job only shrinks"
        help_ = "remove restartPolicy, or use `--backend job`, which replaces failed pods"
        yield warning(codes.FUTILE_RESTART, message, policy, help=help_, related=[other])
    else:
        yield from _closed_rendezvous(context)


def _closed_rendezvous(context: RuleContext) -> Diagnostics:
    """launch_agent of torch/distributed/launcher/api.py closes the rendezvous after the last failure, and etcd keeps it
    closed: restarted agents with the same id fail with RendezvousClosedError (observed with torch 2.15). c10d's store
    ends with the agents. After a signal the rendezvous stays open."""
    launch, lifecycle = context.spec.launch, context.spec.lifecycle
    restarts = lifecycle.gives("restartPolicy") or lifecycle.backoff_limit or lifecycle.backoff_limit_per_index
    if not launch.traits.is_elastic or not restarts or context.job.failure.backoff_limit == 0:
        return
    if context.job.launch.max_restarts:
        return
    backend = context.job.launch.rendezvous.backend
    if backend not in ("etcd", "etcd-v2"):
        return
    message = f"torchrun closes its {backend} rendezvous when a process fails: restarted pods fail at once"
    where = lifecycle.where("restartPolicy", "backoffLimit", "backoffLimitPerIndex")
    server = Related(span=launch.rendezvous_section.where("backend"), message="the backend")
    help_ = "set launch.torchrun.maxRestarts, so that torchrun restarts the processes"
    yield warning(codes.FUTILE_RESTART, message, where, help=help_, related=[server])
