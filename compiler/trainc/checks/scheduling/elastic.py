"""Elastic bounds, launchers and objects with a fixed number of workers, and metrics that cannot be measured."""

from __future__ import annotations

import re

from trainc.checks.rule import (
    Diagnostic,
    Diagnostics,
    Help,
    Message,
    RuleContext,
    codes,
    error,
    remove,
    replace,
    use_backend,
    warning,
)
from trainc.checks.shared.pod import Container
from trainc.span import span_of
from trainc.spec.lifecycle import Elastic
from trainc.systems.shared.autoscaler import MetricFault, metric_faults
from trainc.typenames import Any
from trainc.well_known import MAIN

TRIGGERS = ("elastic",)


def check(context: RuleContext) -> Diagnostics:
    """Require minReplicas ≤ workers ≤ maxReplicas, torchrun with a dynamic rendezvous backend, and metrics."""
    elastic = context.spec.elastic
    if elastic is not None:
        yield from _bounds(context, elastic)
        yield from _support(context)
        yield from _fixed_number(context, elastic)
        if context.system.is_scalable:  # the rule `unsupported_fields` covers the others
            yield from _autoscaler(context, elastic)


def _bounds(context: RuleContext, elastic: Elastic) -> Diagnostics:
    workers, low, high = context.spec.workers, elastic.min_replicas, elastic.max_replicas
    if low > high:
        message = Message("`{elastic/minReplicas}` {} exceeds `{elastic/maxReplicas}` {}", low, high)
        related = [(elastic.where("maxReplicas"), "the maximum")]
        yield error(codes.ELASTIC_BOUNDS, message, elastic.where("minReplicas"), related=related)
    elif context.spec.has("workers") and not low <= workers <= high:
        message = Message("`{workers}` {} is outside the elastic range {} to {}", workers, low, high)
        related = [(elastic.where("minReplicas" if workers < low else "maxReplicas"), "conflicts with this")]
        yield error(codes.ELASTIC_BOUNDS, message, context.spec.where("workers"), related=related)


def _support(context: RuleContext) -> Diagnostics:
    """Report launchers of a fixed world size, and late workers that the system does not support."""
    launch, where = context.spec.launch, context.spec.where("elastic")
    system, replicas = context.system, context.job.replicas
    if not launch.traits.is_elastic and not system.scales_fixed_worlds:
        message = Message("launcher `{}` has a fixed world size and does not support `{elastic}`", launch.traits.name)
        yield error(
            codes.LAUNCHER_NOT_ELASTIC,
            message,
            where,
            help=(Message("use {launch.torchrun}"), Message("remove `{elastic}`")),
        )
    elif launch.traits.is_elastic and context.job.launch.rendezvous.backend == "static":
        message = Message(
            "rendezvous backend `static` waits for `{elastic/maxReplicas}` workers and does not support `{elastic}`"
        )
        backend, related = launch.rendezvous_section.where("backend"), [(where, "conflicts with this")]
        remedy = replace(backend, "c10d")
        c10d = "use the backend c10d"
        yield error(codes.LAUNCHER_NOT_ELASTIC, message, backend, help=c10d, related=related, remedy=remedy)
    if not system.has_controller and replicas.initial > replicas.minimum:
        surplus = "surplus Pods that start after training has ended fail and are restarted without limit"
        help_ = (use_backend("job", ", which completes with worker 0"), "delete the Pods after training")
        yield warning(codes.RESTARTS_AFTER_COMPLETION, surplus, where, help=help_)


def _autoscaler(context: RuleContext, elastic: Elastic) -> Diagnostics:
    if elastic.metrics == [] and elastic.behavior:
        message = Message("`behavior` has no effect: with `{elastic/metrics: []}` there is no autoscaler")
        where, related = elastic.where("behavior"), [(elastic.where("metrics"), "disables the autoscaler")]
        help_, remedy = "remove one of them", remove(where, safe=True)
        yield warning(codes.BEHAVIOR_WITHOUT_AUTOSCALER, message, where, help=help_, related=related, remedy=remedy)
    pod = context.pod
    # Requests of the pod as a whole replace its containers' (Kubernetes 1.34).
    of_pod = Container(node=pod.spec, generated=pod.generated).effective_requests
    requests = {each.name: {**of_pod, **each.effective_requests} for each in (pod.main, *pod.sidecars)}
    metrics = context.job.scaling.metrics if context.job.scaling else []
    faults = [list(metric_faults(metric, requests)) for metric in metrics]
    for metric, own_faults in zip(metrics, faults, strict=True):
        for fault in own_faults:
            diagnostic = _fault(context, metric, fault, is_default=elastic.metrics is None)
            # With another metric that it can measure, the autoscaler scales up, but not down.
            yield diagnostic if all(faults) else diagnostic.replace(severity="warning")


def _fault(context: RuleContext, metric: dict[str, Any], fault: MetricFault, *, is_default: bool) -> Diagnostic:
    source = metric.get("resource") or metric.get("containerResource") or {}
    where = span_of(source.get("name")) or context.spec.where("elastic")
    if fault.kind == "unserved":
        message = f"resource `{fault.resource}` has no metrics, only cpu and memory have: the autoscaler never scales"
        help_: Help = "use a metric of type Pods, Object or External"
        remedy = None
        if fault.intended:
            help_, remedy = f"did you mean `{fault.intended}`?", replace(where, fault.intended)
        return warning(codes.AUTOSCALER_UNSERVED_METRIC, message, where, help=help_, remedy=remedy)
    sidecars = {sidecar.name: sidecar for sidecar in context.pod.sidecars}
    if fault.kind == "unknown container":
        # An admission webhook may add the container, as service meshes do.
        message = f"the autoscaler measures the unknown container `{fault.container}`"
        where = span_of(source.get("container")) or context.spec.where("elastic")
        help_ = f"use one of {', '.join([MAIN, *sidecars])}" if sidecars else f"use `{MAIN}`"
        remedy = None if sidecars or context.file_kind else replace(where, MAIN)
        return warning(codes.AUTOSCALER_UNKNOWN_CONTAINER, message, where, help=help_, remedy=remedy)
    resource = fault.resource
    if fault.container in sidecars:
        message = f"the autoscaler needs the {resource} request of every container, but `{fault.container}` has none"
        help_ = f"set its resources.requests.{resource}, or measure only `{MAIN}` with type ContainerResource"
        place, other = sidecars[fault.container].node.where("name"), (where, "the metric")
        return error(codes.AUTOSCALER_WITHOUT_REQUEST, message, place, help=help_, related=[other])
    note = " (the default metric)" if is_default else ""
    message = f"the autoscaler targets a percentage of the {resource} request, but the pods have none{note}"
    help_ = context.cure(
        (
            f"set resources.{resource}",
            "set other metrics",
            Message("set `{elastic/metrics: []}` for no autoscaler"),
        ),
        f"request {resource}, or remove the metric",
    )
    return error(codes.AUTOSCALER_WITHOUT_REQUEST, message, where, help=help_)


def _fixed_number(context: RuleContext, elastic: Elastic) -> Diagnostics:
    """Report `workers` below `maxReplicas` where the object can't change its number of workers while it runs.

    Its controller creates the child Job once, which can be scaled by hand: syncJobScaling is behind a feature gate in
    https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/controllers/jobset_controller.go
    """
    replicas, system = context.job.replicas, context.system
    if system.rejects_elastic or system.is_scalable or system.scales_fixed_worlds:
        return
    if system.scale_by_hand and system.has_elastic_size:
        return
    low, high = replicas.minimum, replicas.maximum
    # numbers outside the bounds, and launchers of a fixed world size, are other faults
    if not context.spec.launch.traits.is_elastic or not low <= replicas.initial < high:
        return
    message = f"the job never grows to its maximum of {high}: {system.a_kind} keeps its {replicas.initial} workers"
    by_hand = ""
    if system.scale_by_hand:
        message = f"only by hand does the job grow to its maximum of {high}: the number of {system.a_kind} is fixed"
        command = re.sub(r"\bN\b", str(high), system.scale_by_hand.replace("NAME", context.job.name))
        by_hand = f"scale its Job: {command}"
    where = context.spec.where("workers")
    related = [] if context.file_kind else [(elastic.where("maxReplicas"), "not reached")]
    other = by_hand or ("lower the maximum" if context.file_kind else use_backend("job"))
    all_ = f"start {high} pods" if context.file_kind else "remove it to start `maxReplicas` workers"
    help_ = (all_, other)
    remedy = None if context.file_kind else remove(where)
    yield warning(codes.NEVER_GROWS, message, where, help=help_, related=related, remedy=remedy)
