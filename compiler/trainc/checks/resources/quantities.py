"""Requests above limits, impossible and implausible quantities, and devices requested in two places."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, likely, move, remove, replace, warning
from trainc.diagnostics.codes import Code
from trainc.quantity import MAXIMUM, MEBIBYTE, NANO, nanos
from trainc.span import Span, span_of
from trainc.spec.worker import Resources

TRIGGERS = ("resources", "podTemplate")

IN_BYTES = ("memory", "ephemeral-storage")
HUGE_PAGES = "hugepages-"
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
    for name, request in requests.items():
        limit, where = limits.get(name), span_of(request) or section
        if limit is None:
            if _is_whole(name):
                message = f"`{name}` cannot be overcommitted: the request of {request} requires an equal limit"
                help_, remedy = "set only the limit: it is the request too", move(where, "..limits", safe=True)
                yield error(codes.REQUEST_OVER_LIMIT, message, where, help=help_, remedy=remedy)
            continue
        other = (span_of(limit) or section, "the limit")
        if nanos(request) > nanos(limit):
            message = f"the {name} request of {request} exceeds the limit of {limit}"
            help_ = "reduce it, or raise the limit"
            yield error(codes.REQUEST_OVER_LIMIT, message, where, help=help_, related=[other])
        elif _is_whole(name) and nanos(request) != nanos(limit):
            message = f"`{name}` cannot be overcommitted: request {request} and limit {limit} must be equal"
            help_, remedy = f"set it to {limit}, or the limit to {request}", replace(where, limit)
            yield error(codes.REQUEST_OVER_LIMIT, message, where, help=help_, related=[other], remedy=remedy)
    for name, text in limits.items():
        if name.startswith(HUGE_PAGES) and not {"cpu", "memory"} & {*requests, *limits}:
            message = f"`{name}` requires a CPU or memory request"
            yield error(codes.IMPOSSIBLE_QUANTITY, message, span_of(text) or section, help="request memory as well")
    quantities = {(name, text): None for place in (requests, limits) for name, text in place.items()}
    for name, text in quantities:
        yield from _impossible(name, text, span_of(text) or section)
    if "cpu" in limits:
        yield from _cpus(limits["cpu"], section)


def _impossible(name: str, text: str, where: Span) -> Diagnostics:
    """Require whole GPUs, bytes and huge pages, and plausible sizes of memory."""
    size = nanos(text)
    if size % NANO and (_is_whole(name) or name in IN_BYTES):
        unit = "bytes" if name in IN_BYTES else "devices"
        message = f"`{text}` of {name} is not a whole number of {unit}"
        help_, remedy = likely(f"{text[:-1]}Mi", where) if unit == "bytes" and text.endswith("m") else (None, None)
        yield error(codes.IMPOSSIBLE_QUANTITY, message, where, help=help_, remedy=remedy)
    elif name in IN_BYTES and 0 < size < MEBIBYTE:
        message = f"`{name}: {text}` is only {size // NANO} bytes"
        help_, remedy = likely(f"{text}Gi", where) if text.isdecimal() else (None, None)
        yield error(codes.IMPOSSIBLE_QUANTITY, message, where, help=help_, remedy=remedy)
    elif size > MAXIMUM or (name == "memory" and size >= MUCH_MEMORY):
        yield error(codes.IMPOSSIBLE_QUANTITY, f"`{name}: {text}` is more than any node has", where)
    elif name.startswith(HUGE_PAGES):
        # IsHugePageResourceValueDivisible in kubernetes/kubernetes pkg/apis/core/helper/helpers.go
        page = name.removeprefix(HUGE_PAGES)
        # The schema validates the names in `resources`, but not those in podTemplate.
        if page[:-2].isdecimal() and page[-2:] in ("Ki", "Mi", "Gi", "Ti") and size % (nanos(page) or size + 1):
            yield error(codes.IMPOSSIBLE_QUANTITY, f"`{text}` is not a multiple of the page size {page}", where)


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


def _is_whole(name: str) -> bool:
    """Return whether a resource is indivisible: extended resources and huge pages.

    https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/#using-device-plugins and
    https://kubernetes.io/docs/tasks/manage-hugepages/scheduling-hugepages/
    """
    return "/" in name or name.startswith(HUGE_PAGES)
