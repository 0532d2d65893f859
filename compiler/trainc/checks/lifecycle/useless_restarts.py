"""Restarts that lead to nothing: what is started again may not fail, meets nobody, or there is nothing to start it."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, warning
from trainc.launchers.torchrun.passthrough import max_restarts
from trainc.launchers.torchrun.spec import Torchrun
from trainc.lower.rendezvous import rendezvous_backend

TRIGGERS = ("lifecycle.restartPolicy", "lifecycle.backoffLimit", "lifecycle.backoffLimitPerIndex")


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """By back end, then by launcher."""
    lifecycle, failure = context.spec.lifecycle, context.job.failure
    policy = lifecycle.where("restartPolicy")
    if (
        context.system.supports("spec.lifecycle.backoffLimit")
        and context.system.container_restarts != "never"
        and lifecycle.restart_policy == "OnFailure"
        and failure.backoff_limit == 0
    ):
        # https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy
        message = "a container that is started again counts as a failure, and none may be: the job ends with the first"
        given = lifecycle.where("backoffLimit") if lifecycle.backoff_limit == 0 else context.spec.where("shareFile")
        other = Related(span=given, message="allows no failure")
        help_ = "leave restartPolicy out, or allow failures by backoffLimit"
        yield warning(codes.FUTILE_RESTART, message, policy, help=help_, related=[other])
    elif not context.system.has_controller and lifecycle.restart_policy == "Never" and context.job.replicas.elastic:
        other = Related(span=context.spec.where("elastic"), message="workers may come and go")
        message = "nothing makes a failed Pod again: the elastic job only ever shrinks"
        help_ = "leave restartPolicy out, or use the back end job, which replaces a failed pod"
        yield warning(codes.FUTILE_RESTART, message, policy, help=help_, related=[other])
    else:
        yield from _closed(context)


def _closed(context: RuleContext) -> Iterator[Diagnostic]:
    """launch_agent of torch/distributed/launcher/api.py shuts the rendezvous down when processes have failed for good,
    and in etcd that outlives the agents: started again with its id, they end with RendezvousClosedError (seen with
    torch 2.15). c10d's store dies with them. After a signal the rendezvous stays open."""
    launch, lifecycle = context.spec.launch, context.spec.lifecycle
    wanted = lifecycle.gives("restartPolicy") or lifecycle.backoff_limit or lifecycle.backoff_limit_per_index
    if not isinstance(launch, Torchrun) or not wanted or context.job.failure.backoff_limit == 0:
        return
    if max_restarts(launch, context.job.replicas, context.target):
        return
    backend = rendezvous_backend(context.spec, launch)
    if backend not in ("etcd", "etcd-v2"):
        return
    message = f"when a process fails, torchrun closes its rendezvous in {backend} for good: pods that are started"
    message += " again end at once"
    where = lifecycle.where("restartPolicy", "backoffLimit", "backoffLimitPerIndex")
    server = Related(span=launch.rendezvous.where("backend"), message="which keeps it")
    help_ = "let torchrun start the processes again itself, by launch.torchrun.maxRestarts"
    yield warning(codes.FUTILE_RESTART, message, where, help=help_, related=[server])
