"""Ports of the rendezvous that no socket can have, or that another container of the pod uses.

Containers of a pod share one network: https://kubernetes.io/docs/concepts/workloads/pods/#pod-networking
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.rule import Diagnostics, RuleContext, codes, error
from trainc.checks.shared.program_command import call_span, program_launcher
from trainc.commandline.word import parse_int
from trainc.launchers.ports import HIGHEST_PORT, host_and_port
from trainc.source.node import Scalar, scalar_text
from trainc.span import Span

TRIGGERS = ("starts_launcher()", "sets_port()", "adds_container_ports()")

# Options that contain a port, and whether it is part of an address.
OPTIONS = {"master_port": False, "main_process_port": False, "rdzv_endpoint": True}
VARIABLES = ("MASTER_PORT", "PET_MASTER_PORT", "PET_RDZV_ENDPOINT", "MAIN_PROCESS_PORT")


def check(context: RuleContext) -> Diagnostics:
    yield from _too_high(context)
    yield from _sidecars(context)


def _too_high(context: RuleContext) -> Diagnostics:
    """Report the first port: options, variables of a shell's script, variables of the pod."""
    for name, value, where in _values(context):
        port = value.rpartition(":")[2]
        if port.isascii() and port.isdecimal() and int(port[:9]) > HIGHEST_PORT:
            yield error(
                codes.PORT_OUT_OF_RANGE, f"`{name}` has the port {port[:9]}: the highest is {HIGHEST_PORT}", where
            )
            return


def _values(context: RuleContext) -> Iterator[tuple[str, str, Span]]:
    call = program_launcher(context)
    if call is not None:
        for name, option in call.parsed.options.items():
            if name in OPTIONS and option.value is not None:
                yield f"--{name}", option.value.text, call_span(context, call, option)
        for name, word in call.env.items():
            if name in VARIABLES and word is not None and word.span is not None:
                yield name, word.text, word.span
    # The rules env.py and variables.py report variables that the job's launcher sets, too.
    launch = context.spec.launch
    own = launch.traits.process_variables if launch.wraps_program else ()
    if not context.in_own_system:
        own = (*own, *(variable.name for variable in context.job.pod.env if variable.origin is None))
    for variable in context.pod.main.user_variables:
        if variable.name in VARIABLES and variable.name not in own and variable.value:
            yield variable.name, variable.value, variable.span


def _sidecars(context: RuleContext) -> Diagnostics:
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
