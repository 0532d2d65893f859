"""Reserved labels in the job's metadata."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.source.node import Mapping
from trainc.systems.shared.objects.base import Backend
from trainc.well_known import GROUP

TRIGGERS = ("metadata.labels",)

# Labels set by trainc, and those that the Job and StatefulSet controllers set on pods:
# https://kubernetes.io/docs/reference/labels-annotations-taints/
PREFIXES = (
    *(f"{GROUP}/", "batch.kubernetes.io/", "apps.kubernetes.io/", "statefulset.kubernetes.io/"),
    "training.kubeflow.org/",  # https://github.com/kubeflow/training-operator, pkg/apis/kubeflow.org/v1/common_types.go
)
NAMES = ("job-name", "controller-uid", "controller-revision-hash")


def is_reserved(name: str, backend: Backend) -> bool:
    """Whether trainc or a controller sets the label."""
    return name.startswith(PREFIXES) or name in (*NAMES, *backend.traits.pod_labels)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Services and controllers select pods by these labels, so a job must not set them."""
    labels = context.spec.metadata.node.get("labels")
    for name in context.spec.metadata.labels:
        if is_reserved(name, context.backend) and isinstance(labels, Mapping):
            whose = "trainc" if name.startswith(f"{GROUP}/") else "a controller"
            if name in context.system.pod_labels:
                whose = f"the operator of the {context.system.kind}"
            message = f"label `{name}` is reserved: {whose} sets it"
            yield error(codes.RESERVED_LABEL, message, labels.entries[name].key.span, help="rename it")
