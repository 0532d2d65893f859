"""Autoscaler metrics that cannot be measured.

https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#how-does-a-horizontalpodautoscaler-work
"""

from __future__ import annotations

from typing import Any

from trainc.checks.rule import Diagnostics, Related, RuleContext, codes, error, warning
from trainc.checks.shared.pod import Container
from trainc.span import span_of
from trainc.well_known import MAIN

TRIGGERS = ("elastic",)

# https://kubernetes.io/docs/tasks/debug/debug-cluster/resource-metrics-pipeline/#metrics-api
MEASURED = ("cpu", "memory")


def check(context: RuleContext) -> Diagnostics:
    """Check scalable systems; the rule `unsupported_fields` covers the others."""
    elastic = context.spec.elastic
    if not context.system.is_scalable or elastic is None:
        return
    if elastic.metrics == [] and elastic.behavior:
        message = "`behavior` has no effect: with `metrics: []` there is no autoscaler"
        other = Related(span=elastic.where("metrics"), message="disables the autoscaler")
        where = elastic.where("behavior")
        yield warning(codes.BEHAVIOR_WITHOUT_AUTOSCALER, message, where, help="remove one of them", related=[other])
    for metric in context.job.scaling.metrics if context.job.scaling else []:
        for kind in ("resource", "containerResource"):
            if kind in metric:
                yield from _resource(context, metric[kind], default=elastic.metrics is None)


def _resource(context: RuleContext, metric: dict[str, Any], *, default: bool) -> Diagnostics:
    name, container = str(metric.get("name")), metric.get("container")
    where = context.spec.where("elastic")
    if name not in MEASURED:
        message = f"resource `{name}` has no metrics, only cpu and memory have: the autoscaler never scales"
        help_ = "use a metric of type Pods, Object or External"
        yield warning(codes.AUTOSCALER_UNSERVED_METRIC, message, span_of(metric.get("name")) or where, help=help_)
        return
    sidecars = context.pod.sidecars
    names = [MAIN, *(sidecar.name for sidecar in sidecars)]
    if container is not None and container not in names:
        # An admission webhook may add the container, as service meshes do.
        message = f"the autoscaler measures the unknown container `{container}`"
        yield warning(
            codes.AUTOSCALER_UNKNOWN_CONTAINER,
            message,
            span_of(container) or where,
            help=f"use one of {', '.join(names)}",
        )
        return
    if metric.get("target", {}).get("type") != "Utilization" or name in _pod_requests(context):
        return
    # calculatePodRequestsFromContainers in kubernetes/kubernetes pkg/controller/podautoscaler/replica_calculator.go:
    # without the request in every container, including sidecars, the pod's utilization is unknown.
    if container in (None, MAIN) and name not in context.pod.main.effective_requests:
        note = " (the default metric)" if default else ""
        message = f"the autoscaler targets a percentage of the {name} request, but the pods have none{note}"
        help_ = f"set resources.{name}, other metrics, or `metrics: []` for no autoscaler"
        yield error(codes.AUTOSCALER_WITHOUT_REQUEST, message, span_of(metric.get("name")) or where, help=help_)
    for sidecar in sidecars:
        sidecar_name = sidecar.name
        if container in (None, sidecar_name) and name not in sidecar.effective_requests:
            message = f"the autoscaler needs the {name} request of every container, but `{sidecar_name}` has none"
            help_ = f"set its resources.requests.{name}, or measure only `{MAIN}` with type ContainerResource"
            related = [Related(span=span_of(metric.get("name")) or where, message="the metric")]
            yield error(
                codes.AUTOSCALER_WITHOUT_REQUEST, message, sidecar.node.where("name"), help=help_, related=related
            )


def _pod_requests(context: RuleContext) -> dict[str, str]:
    """Return the requests of the pod as a whole, which replace its containers' (Kubernetes 1.34)."""
    return Container(node=context.pod.spec, generated=context.pod.generated).effective_requests
