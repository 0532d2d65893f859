"""Reserved labels in the job's metadata."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error
from trainc.source.node import Mapping
from trainc.systems.shared.facts import POD_LABEL_PREFIXES, POD_LABELS
from trainc.systems.shared.objects.base import Backend
from trainc.well_known import GROUP

TRIGGERS = ("metadata.labels",)


def is_reserved(name: str, backend: Backend) -> bool:
    """Return whether trainc or a controller sets the label."""
    return name.startswith((f"{GROUP}/", *POD_LABEL_PREFIXES)) or name in (*POD_LABELS, *backend.traits.pod_labels)


def check(context: RuleContext) -> Diagnostics:
    """Services and controllers select pods by these labels, so a job must not set them."""
    labels = context.spec.metadata.node.get("labels")
    for name in context.spec.metadata.labels:
        if is_reserved(name, context.backend) and isinstance(labels, Mapping):
            whose = "trainc" if name.startswith(f"{GROUP}/") else "a controller"
            if name in context.system.pod_labels:
                whose = f"the operator of the {context.system.kind}"
            message = f"label `{name}` is reserved: {whose} sets it"
            yield error(codes.RESERVED_LABEL, message, labels.entries[name].key.span, help="rename it")
