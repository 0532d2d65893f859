"""Port of the rendezvous that another container of the pod uses: containers of a pod share one network."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.rule import Diagnostics, Related, RuleContext, codes, error
from trainc.checks.shared.program_command import number, program_launcher
from trainc.launchers.endpoint import host_and_port
from trainc.launchers.find_launchers import Call
from trainc.source.node import Scalar, scalar_text
from trainc.span import Span

TRIGGERS = ("adds_container_ports()",)

# Options that contain a port, and whether it is part of an address.
OPTIONS = {"master_port": False, "rdzv_endpoint": True, "main_process_port": False}


def check(context: RuleContext) -> Diagnostics:
    """https://kubernetes.io/docs/concepts/workloads/pods/#pod-networking"""
    used: dict[int, Span | None] = {port.number: _port_field(context, port.name) for port in context.job.pod.ports}
    call = program_launcher(context)
    used |= _launcher_ports(call) if call is not None else {}
    for port, where in _sidecar_ports(context):
        if port in used:
            origin = used[port]
            other = [Related(span=origin, message="the rendezvous port")] if origin else []
            message = f"port {port} is the rendezvous port: two containers of a pod cannot both listen on it"
            yield error(codes.PORT_CONFLICT, message, where, help="choose another port for one of them", related=other)


def _port_field(context: RuleContext, name: str) -> Span | None:
    section, field = context.spec.launch.port_field(name)
    return section.where(field) if section.gives(field) else None


def _launcher_ports(call: Call) -> dict[int, Span | None]:
    """Return the ports of the program's own launcher."""
    ports = {}
    for name, is_address in OPTIONS.items():
        option = call.given(name)
        if option is not None and option.value is not None and option.value.known:
            port = host_and_port(option.value.text, 0)[1] if is_address else number(option.value)
            if port:
                ports[port] = option.flag.span
    return ports


def _sidecar_ports(context: RuleContext) -> Iterator[tuple[int, Span]]:
    """Yield the TCP ports of containers that run beside the training container."""
    for sidecar in context.pod.sidecars:
        for port in sidecar.ports:
            number, is_tcp = port.get("containerPort"), scalar_text(port.get("protocol")) in ("", "TCP")
            if is_tcp and isinstance(number, Scalar) and isinstance(number.value, int):
                yield number.value, number.span
