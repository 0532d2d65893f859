"""Port of the rendezvous that another container of the pod uses: containers of a pod share one network."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error
from trainc.checks.shared.program_command import program_launcher
from trainc.commandline.word import parse_int
from trainc.launchers.ports import host_and_port
from trainc.source.node import Scalar, scalar_text
from trainc.span import Span

TRIGGERS = ("adds_container_ports()",)

# Options that contain a port, and whether it is part of an address.
OPTIONS = {"master_port": False, "rdzv_endpoint": True, "main_process_port": False}


def check(context: RuleContext) -> Diagnostics:
    """https://kubernetes.io/docs/concepts/workloads/pods/#pod-networking"""
    used = _used_ports(context)
    for port in (port for sidecar in context.pod.sidecars for port in sidecar.ports):
        number = port.get("containerPort")
        if not isinstance(number, Scalar) or not isinstance(number.value, int) or number.value not in used:
            continue
        if scalar_text(port.get("protocol")) in ("", "TCP"):
            origin = used[number.value]
            related = [(origin, "the rendezvous port")]
            message = f"port {number.value} is the rendezvous port: two containers of a pod cannot both listen on it"
            help_ = "choose another port for one of them"
            yield error(codes.PORT_CONFLICT, message, number.span, help=help_, related=related)


def _used_ports(context: RuleContext) -> dict[int, Span | None]:
    """Return the ports of the job's rendezvous and of the program's own launcher, with their positions."""
    used: dict[int, Span | None] = {}
    for port in context.job.pod.ports:
        section, field = context.spec.launch.port_field(port.name)
        used[port.number] = section.span_of(field)
    call = program_launcher(context)
    for name, is_address in OPTIONS.items() if call is not None else ():
        option = call.option(name) if call else None
        if option is not None and option.text is not None:
            number = host_and_port(option.text, 0)[1] if is_address else parse_int(option.value)
            if number:
                used[number] = option.flag.span
    return used
