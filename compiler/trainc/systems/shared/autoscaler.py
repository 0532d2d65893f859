"""Metrics of a HorizontalPodAutoscaler that nothing can measure, so that it never scales.

https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#how-does-a-horizontalpodautoscaler-work
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from trainc.record import Record
from trainc.typenames import Any, Literal

# The default of autoscaling/v2 for an empty list of metrics, written out so that a reader sees it
# (https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/horizontal-pod-autoscaler-v2/).
DEFAULT_METRIC = {
    "type": "Resource",
    "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}},
}
# https://kubernetes.io/docs/tasks/debug/debug-cluster/resource-metrics-pipeline/#metrics-api
MEASURED = ("cpu", "memory")


class MetricFault(Record):
    """Reason why a metric has no value: a resource without metrics, a container that the pods lack, or a container
    without the request that a percentage refers to."""

    kind: Literal["unserved", "unknown container", "no request"]
    resource: str
    container: str = ""

    @property
    def intended(self) -> str | None:
        """Measured resource whose name a misspelled one contains: cpu for `cpuyeah`."""
        return next((name for name in MEASURED if name[:3] in self.resource.lower()), None)


def can_scale(metrics: Sequence[Mapping[str, Any]], pod_spec: Mapping[str, Any]) -> bool:
    """Return whether an autoscaler can measure any of its metrics; without metrics it has the default."""
    requests = container_requests(pod_spec)
    return any(not any(metric_faults(metric, requests)) for metric in metrics or [DEFAULT_METRIC])


def container_requests(pod_spec: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    """Return the resources that each container requests which runs next to the others.

    A limit is also a request, and requests of the pod as a whole replace its containers' (Kubernetes 1.34).
    """
    init = [each for each in _mappings(pod_spec.get("initContainers")) if each.get("restartPolicy") == "Always"]
    of_pod = _requested(pod_spec)
    running = (*_mappings(pod_spec.get("containers")), *init)
    return {str(each.get("name")): of_pod | _requested(each) for each in running}


def _requested(container: Mapping[str, Any]) -> frozenset[str]:
    resources = container.get("resources")
    amounts = [resources.get(kind) for kind in ("requests", "limits")] if isinstance(resources, Mapping) else []
    return frozenset(str(name) for amount in amounts if isinstance(amount, Mapping) for name in amount)


def _mappings(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def metric_faults(metric: Mapping[str, Any], requests: Mapping[str, Collection[str]]) -> Iterator[MetricFault]:
    """Yield the faults of a metric; `requests` are the resources that each container requests.

    Without the request in every container, sidecars included, the pod's utilization is unknown:
    calculatePodRequestsFromContainers in kubernetes/kubernetes pkg/controller/podautoscaler/replica_calculator.go
    """
    for kind in ("resource", "containerResource"):
        source = metric.get(kind)
        if not isinstance(source, Mapping):
            continue
        resource, container = str(source.get("name")), source.get("container")
        target = source.get("target")
        is_relative = isinstance(target, Mapping) and target.get("type") == "Utilization"
        if resource not in MEASURED:
            yield MetricFault(kind="unserved", resource=resource)
        elif container is not None and container not in requests:
            yield MetricFault(kind="unknown container", resource=resource, container=str(container))
        elif is_relative:
            for name, requested in requests.items():
                if container in (None, name) and resource not in requested:
                    yield MetricFault(kind="no request", resource=resource, container=name)
