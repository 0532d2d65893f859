"""Unnamed container ports, for which the operator would create an invalid Service."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error
from trainc.source.node import scalar_text

TRIGGERS = ("adds_container_ports()",)


def check(context: RuleContext) -> Diagnostics:
    """The training operator puts all ports of the training container into the pod's Service, beside its own port:
    GetPortsFromJob of its pkg/core/service.go. A Service with several ports requires names:
    https://kubernetes.io/docs/concepts/services-networking/service/#multi-port-services"""
    for port in context.pod.main.ports:
        if not scalar_text(port.get("name")):
            message = "the port has no name: the training operator's Service for it is rejected"
            yield error(codes.UNNAMED_PORT, message, port.entries["containerPort"].key.span, help="set its name")
