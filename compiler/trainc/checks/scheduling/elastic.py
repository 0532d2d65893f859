"""Elastic bounds, and launchers that can't change their world while it runs."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error, warning
from trainc.launchers.torchrun.spec import Torchrun
from trainc.spec.elastic import Elastic

TRIGGERS = ("elastic",)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """minReplicas ≤ workers ≤ maxReplicas, and torchrun with a backend that re-forms."""
    elastic = context.spec.elastic
    if elastic is not None:
        yield from _bounds(context, elastic)
        yield from _launcher(context)
        yield from _sizes(context)


def _sizes(context: RuleContext) -> Iterator[Diagnostic]:
    """Only an autoscaler or a hand can start with fewer pods than the maximum."""
    within = context.job.replicas.minimum <= context.spec.workers < context.job.replicas.maximum
    if context.system.first_size == "always maximum" and context.spec.gives("workers") and within:
        message = f"`workers` has no effect on the back end {context.system.name} where `elastic` is given"
        help_ = "all pods of maxReplicas are made, and training starts when minReplicas of them run"
        yield warning(codes.UNSUPPORTED_BY_BACKEND, message, context.spec.where("workers"), help=help_)
    if not context.system.has_controller and context.spec.elastic is not None:
        message = "a surplus Pod that starts after the end of the training fails and is started again for ever"
        help_ = "use the back end job, which is done when worker 0 is, or delete the Pods when it has ended"
        yield warning(codes.RESTARTS_AFTER_COMPLETION, message, context.spec.where("elastic"), help=help_)


def _bounds(context: RuleContext, elastic: Elastic) -> Iterator[Diagnostic]:
    low, high = elastic.min_replicas, elastic.max_replicas
    if low > high:
        other = Related(span=elastic.where("maxReplicas"), message=f"the maximum is {high}")
        message = f"minReplicas {low} is above maxReplicas {high}"
        yield error(codes.ELASTIC_BOUNDS, message, elastic.where("minReplicas"), related=[other])
    elif context.spec.gives("workers") and not low <= context.spec.workers <= high:
        bound = "minReplicas" if context.spec.workers < low else "maxReplicas"
        other = Related(span=elastic.where(bound), message="conflicts with this")
        message = f"workers {context.spec.workers} is outside of the elastic range {low} to {high}"
        yield error(codes.ELASTIC_BOUNDS, message, context.spec.where("workers"), related=[other])


def _launcher(context: RuleContext) -> Iterator[Diagnostic]:
    launch = context.spec.launch
    if not isinstance(launch, Torchrun):
        name = type(launch).__name__.lower()
        message = f"{name} has a world of fixed size and can't be elastic"
        yield error(
            codes.LAUNCHER_NOT_ELASTIC,
            message,
            context.spec.where("elastic"),
            help="use launch.torchrun, or leave elastic out",
        )
    elif launch.rendezvous.backend == "static":
        other = Related(span=context.spec.where("elastic"), message="conflicts with this")
        message = "the static rendezvous waits for maxReplicas and can't be elastic"
        where = launch.rendezvous.where("backend")
        yield error(codes.LAUNCHER_NOT_ELASTIC, message, where, help="use the backend c10d", related=[other])
