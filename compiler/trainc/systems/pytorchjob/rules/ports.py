"""A port without a name, of which an operator would make a Service that the API server refuses."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.source.node import scalar_text

TRIGGERS = ("adds_container_ports()",)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """The training operator puts all ports of the training container into the Service of its pod, beside the one that
    it always has: GetPortsFromJob of its pkg/core/service.go. Of several ports a Service wants names:
    https://kubernetes.io/docs/concepts/services-networking/service/#multi-port-services"""
    for port in context.pod.main.ports:
        if not scalar_text(port.get("name")):
            message = "the training operator makes a Service of the ports, and the API server refuses one without names"
            yield error(
                codes.UNNAMED_PORT, message, port.entries["containerPort"].key.span, help="give the port a name"
            )
