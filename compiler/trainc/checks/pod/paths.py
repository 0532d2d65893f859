"""Paths and names that Kubernetes rejects only when the pods are created."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error
from trainc.pod_paths import invalid_names, invalid_paths
from trainc.source.node import Mapping, plain
from trainc.span import span_of
from trainc.typenames import Any

TRIGGERS = ("podTemplate", "volumes")
_CONTAINER = ("name", "volumeMounts")  # fields of a container with paths and names


def check(context: RuleContext) -> Diagnostics:
    """Require paths inside their volumes, and DNS labels as names."""
    pod = context.pod
    containers = {
        field: [_plain_fields(item.node) for item in items]
        for field, items in (("containers", pod.containers), ("initContainers", pod.init_containers))
    }
    volumes = pod.spec.get("volumes")
    spec = {"volumes": plain(volumes) if volumes else [], **containers}
    for field, value, fault in invalid_paths(spec):
        message = f"`{field}: {value}` {fault}, which Kubernetes forbids"
        yield error(codes.INVALID_POD_PATH, message, span_of(value) or context.job.origin)
    for _, value, fault in invalid_names(spec):
        message = f"`{value}` {fault}: the API server rejects the pod"
        yield error(codes.INVALID_POD_NAME, message, span_of(value) or context.job.origin)


def _plain_fields(container: Mapping) -> dict[str, Any]:
    return {name: plain(container.entries[name].value) for name in _CONTAINER if name in container.entries}
