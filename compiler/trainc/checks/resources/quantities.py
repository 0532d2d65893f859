"""Requests above limits, impossible and implausible quantities, and devices requested in two places."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, likely, remove, warning
from trainc.container_resources import resource_faults
from trainc.diagnostics.codes import Code
from trainc.diagnostics.remedy import remedy_of
from trainc.quantity import MAXIMUM, MEBIBYTE, NANO, nanos
from trainc.span import Span, span_of
from trainc.spec.worker import Resources

TRIGGERS = ("resources", "podTemplate")

IN_BYTES = ("memory", "ephemeral-storage")
# More CPUs than a training node has, and too little of a CPU to start Python within a minute.
MANY_CPUS, FEW_CPUS = 1000 * NANO, NANO // 20
MUCH_MEMORY = MEBIBYTE * 2**30  # 1 PiB; processors address less


def check(context: RuleContext) -> Diagnostics:
    pod, resources, network = context.pod, context.spec.resources, context.spec.network
    for container in (*pod.init_containers, *pod.containers):
        if container.is_patched("resources"):
            section = container.node.entries["resources"].key.span
            yield from _container(container.requests, container.limits, section)
        elif container is pod.main:
            yield from _container(container.requests, container.limits, resources.where())
    if resources.gpu is not None:
        yield from _duplicates(resources, resources.gpu.resource, "gpu", codes.DUPLICATE_GPU, resources.where("gpu"))
    if network is not None and network.rdma is not None:
        name, first = network.rdma.resource, network.rdma.where("resource")
        yield from _duplicates(resources, name, "network.rdma", codes.DUPLICATE_RDMA, first)


def _duplicates(resources: Resources, name: str, field: str, code: Code, first: Span) -> Diagnostics:
    for section in (resources.both, resources.requests, resources.limits):
        if name in section:
            message, where = f"`{name}` is requested by `{field}` and again by name", span_of(section[name])
            related, help_ = [(first, "first request")], "remove one of them"
            remedy = remove(where) if where else None
            yield error(code, message, where or resources.where(), help=help_, related=related, remedy=remedy)


def _container(requests: dict[str, str], limits: dict[str, str], section: Span) -> Diagnostics:
    """Check one container; `section` is the position of values without their own."""
    values = {"requests": requests, "limits": limits}

    def position(path: tuple[str | int, ...]) -> Span:
        field, name = map(str, path)
        return span_of(values[field][name]) or section

    for fault in resource_faults(requests, limits):
        where, code = position(fault.path), fault.code or codes.REJECTED_BY_API_SERVER
        remedy = remedy_of(fault.fix, where) if fault.fix else None
        related = [(position(place), label) for place, label in fault.related]
        yield error(code, fault.message, where, help=fault.help, related=related, remedy=remedy)
    quantities = {(name, text): None for place in (requests, limits) for name, text in place.items()}
    for name, text in quantities:
        yield from _implausible(name, text, span_of(text) or section)
    if "cpu" in limits:
        yield from _cpus(limits["cpu"], section)


def _implausible(name: str, text: str, where: Span) -> Diagnostics:
    """Require whole bytes, and plausible sizes of memory."""
    size = nanos(text)
    if name in IN_BYTES and size % NANO:
        message = f"`{text}` of {name} is not a whole number of bytes"
        help_, remedy = likely(f"{text[:-1]}Mi", where) if text.endswith("m") else (None, None)
        yield error(codes.IMPOSSIBLE_QUANTITY, message, where, help=help_, remedy=remedy)
    elif name in IN_BYTES and 0 < size < MEBIBYTE:
        message = f"`{name}: {text}` is only {size // NANO} bytes"
        help_, remedy = likely(f"{text}Gi", where) if text.isdecimal() else (None, None)
        yield error(codes.IMPOSSIBLE_QUANTITY, message, where, help=help_, remedy=remedy)
    elif size > MAXIMUM or (name == "memory" and size >= MUCH_MEMORY):
        yield error(codes.IMPOSSIBLE_QUANTITY, f"`{name}: {text}` is more than any node has", where)


def _cpus(text: str, section: Span) -> Diagnostics:
    """Check limits only, for `8000` instead of `8000m` and `8m` instead of `8`: small requests overcommit CPUs."""
    where = span_of(text) or section
    if nanos(text) >= MANY_CPUS:
        message = Message("`{resources/cpu: {}}` is more than any node has", text)
        help_, remedy = likely(f"{text}m", where) if text.isdecimal() else (None, None)
        yield warning(codes.IMPLAUSIBLE_CPU, message, where, help=help_, remedy=remedy)
    elif 0 < nanos(text) < FEW_CPUS:
        message = Message("`{resources/cpu: {}}` is less than 5 % of a CPU", text)
        help_, remedy = likely(text[:-1], where) if text.endswith("m") else (None, None)
        yield warning(codes.IMPLAUSIBLE_CPU, message, where, help=help_, remedy=remedy)
