"""Autoscalers that have nothing to measure by.

https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#how-does-a-horizontalpodautoscaler-work
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainc.checks.context import RuleContext
from trainc.checks.shared.patched import containers, main_container, patch_of, resources
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error, warning
from trainc.ir.pod import MAIN
from trainc.source.node import Mapping, scalar_text
from trainc.span import span_of

TRIGGERS = ("elastic",)

# https://kubernetes.io/docs/tasks/debug/debug-cluster/resource-metrics-pipeline/#metrics-api
MEASURED = ("cpu", "memory")


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Only these are scaled; `unsupported` says so for the others."""
    elastic = context.spec.elastic
    if not context.system.is_scalable or elastic is None:
        return
    if elastic.metrics == [] and elastic.behavior:
        message = "`behavior` has no effect: with `metrics: []` there is no autoscaler"
        other = Related(span=elastic.where("metrics"), message="scaled by hand")
        yield warning(codes.BEHAVIOR_WITHOUT_AUTOSCALER, message, elastic.where("behavior"), related=[other])
    for metric in context.job.scaling.metrics if context.job.scaling else []:
        for kind in ("resource", "containerResource"):
            if kind in metric:
                yield from _resource(context, metric[kind], default=elastic.metrics is None)


def _resource(context: RuleContext, metric: dict[str, Any], *, default: bool) -> Iterator[Diagnostic]:
    name, one = str(metric.get("name")), metric.get("container")
    where = context.spec.where("elastic")
    if name not in MEASURED:
        message = f"no resource metrics of {name} are served, only of cpu and memory: the autoscaler never scales"
        help_ = "scale by a metric of the type Pods, Object or External"
        yield warning(codes.AUTOSCALER_UNSERVED_METRIC, message, span_of(metric.get("name")) or where, help=help_)
        return
    sides = _beside(context)
    names = [MAIN, *(scalar_text(side.get("name")) for side in sides)]
    if one is not None and one not in names:
        # It may be one that an admission webhook adds, like a mesh's.
        message = f"the autoscaler measures the container `{one}`, which the pods don't have"
        yield warning(
            codes.AUTOSCALER_UNKNOWN_CONTAINER, message, span_of(one) or where, help=f"there are {', '.join(names)}"
        )
        return
    if metric.get("target", {}).get("type") != "Utilization" or name in _of_the_pod(context):
        return
    # calculatePodRequestsFromContainers in kubernetes/kubernetes pkg/controller/podautoscaler/replica_calculator.go:
    # one container without the request, a sidecar too, and nothing is computed for the pod.
    mine = {**context.job.pod.requests, **_asked(main_container(context))}
    if one in (None, MAIN) and name not in mine:
        note = " (the default metric)" if default else ""
        message = f"the autoscaler measures {name} against a request that the pods don't have{note}"
        help_ = f"give resources.{name}, other metrics, or `metrics: []` to scale by hand"
        yield error(codes.AUTOSCALER_WITHOUT_REQUEST, message, span_of(metric.get("name")) or where, help=help_)
    for side in sides:
        title = scalar_text(side.get("name"))
        if one in (None, title) and name not in _asked(side):
            message = f"the autoscaler measures {name} against the requests of all containers, and `{title}` has none"
            help_ = f"give it resources.requests.{name}, or measure `{MAIN}` alone by the type ContainerResource"
            related = [Related(span=span_of(metric.get("name")) or where, message="the metric")]
            yield error(codes.AUTOSCALER_WITHOUT_REQUEST, message, side.where("name"), help=help_, related=related)


def _beside(context: RuleContext) -> list[Mapping]:
    """Containers that run as long as the training does."""
    always = [
        item for item in containers(context, "initContainers") if scalar_text(item.get("restartPolicy")) == "Always"
    ]
    return [*(item for item in containers(context) if scalar_text(item.get("name")) != MAIN), *always]


def _asked(container: Mapping) -> dict[str, str]:
    """Its requests; a limit without one is both."""
    requests, limits = resources(container)
    return {**limits, **requests}


def _of_the_pod(context: RuleContext) -> dict[str, str]:
    """Requests of the pod as a whole count in place of its containers' (Kubernetes 1.34)."""
    return _asked(patch_of(context))
