"""Elastic bounds, and launchers with a fixed world size."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Related, RuleContext, codes, error, warning
from trainc.spec.elastic import Elastic

TRIGGERS = ("elastic",)


def check(context: RuleContext) -> Diagnostics:
    """Require minReplicas ≤ workers ≤ maxReplicas, and torchrun with a dynamic rendezvous backend."""
    elastic = context.spec.elastic
    if elastic is not None:
        yield from _bounds(context, elastic)
        yield from _launcher(context)
        yield from _sizes(context)


def _sizes(context: RuleContext) -> Diagnostics:
    """Report an initial size or late workers that the system does not support."""
    within = context.job.replicas.minimum <= context.spec.workers < context.job.replicas.maximum
    if context.system.first_size == "always maximum" and context.spec.gives("workers") and within:
        message = (
            f"`workers` has no effect on the back end {context.system.name}: all pods of `maxReplicas` are created"
        )
        help_ = "remove it: training starts when `minReplicas` pods run"
        yield warning(codes.UNSUPPORTED_BY_BACKEND, message, context.spec.where("workers"), help=help_)
    if not context.system.has_controller and context.spec.elastic is not None:
        message = "surplus Pods that start after training has ended fail and are restarted for ever"
        help_ = "use `--backend job`, which completes with worker 0, or delete the Pods after training"
        yield warning(codes.RESTARTS_AFTER_COMPLETION, message, context.spec.where("elastic"), help=help_)


def _bounds(context: RuleContext, elastic: Elastic) -> Diagnostics:
    low, high = elastic.min_replicas, elastic.max_replicas
    if low > high:
        other = Related(span=elastic.where("maxReplicas"), message="the maximum")
        message = f"`minReplicas` {low} exceeds `maxReplicas` {high}"
        yield error(codes.ELASTIC_BOUNDS, message, elastic.where("minReplicas"), related=[other])
    elif context.spec.gives("workers") and not low <= context.spec.workers <= high:
        bound = "minReplicas" if context.spec.workers < low else "maxReplicas"
        other = Related(span=elastic.where(bound), message="conflicts with this")
        message = f"`workers` {context.spec.workers} is outside the elastic range {low} to {high}"
        yield error(codes.ELASTIC_BOUNDS, message, context.spec.where("workers"), related=[other])


def _launcher(context: RuleContext) -> Diagnostics:
    launch = context.spec.launch
    if not launch.traits.is_elastic:
        message = f"launcher `{launch.traits.name}` has a fixed world size and does not support `elastic`"
        yield error(
            codes.LAUNCHER_NOT_ELASTIC,
            message,
            context.spec.where("elastic"),
            help="use launch.torchrun, or remove elastic",
        )
    elif context.job.launch.rendezvous.backend == "static":
        other = Related(span=context.spec.where("elastic"), message="conflicts with this")
        message = "rendezvous backend `static` waits for `maxReplicas` workers and does not support `elastic`"
        where = launch.rendezvous_section.where("backend")
        yield error(codes.LAUNCHER_NOT_ELASTIC, message, where, help="use the backend c10d", related=[other])
