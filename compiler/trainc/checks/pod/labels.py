"""Reserved labels in the job's metadata."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error
from trainc.spec.section import inside
from trainc.systems.shared.facts import POD_LABEL_PREFIXES, POD_LABELS
from trainc.systems.shared.objects.base import Backend
from trainc.well_known import GROUP

TRIGGERS = ("metadata.labels",)


def is_reserved(name: str, backend: Backend) -> bool:
    """Return whether trainc or a controller sets the label."""
    return name.startswith((f"{GROUP}/", *POD_LABEL_PREFIXES)) or name in (*POD_LABELS, *backend.traits.pod_labels)


def check(context: RuleContext) -> Diagnostics:
    """Services and controllers select pods by these labels, so a job must not set them."""
    for name, entry in inside(context.spec.metadata.node, "labels").entries.items():
        if is_reserved(name, context.backend):
            whose = "trainc" if name.startswith(f"{GROUP}/") else "a controller"
            if name in context.system.pod_labels:
                whose = f"the operator of the {context.system.kind}"
            message = f"label `{name}` is reserved: {whose} sets it"
            yield error(codes.RESERVED_LABEL, message, entry.key.span, help="rename it")
