"""Requests above limits, quantities that there can't be or that nobody means, and GPUs asked for in two places."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.checks.shared.patched import resources as resources_of
from trainc.checks.shared.patched import with_resources
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error, warning
from trainc.quantity import MEBIBYTE, NANO, nanos
from trainc.span import Span, span_of

TRIGGERS = ("resources", "podTemplate")

IN_BYTES = ("memory", "ephemeral-storage")
HUGE_PAGES = "hugepages-"
# More CPUs than any node has on which somebody trains, and less of one than starts Python within a minute.
MANY_CPUS, FEW_CPUS = 1000 * NANO, NANO // 20


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """What the API server refuses, and what gets the container killed."""
    pod, resources = context.job.pod, context.spec.resources
    yield from _container(pod.requests, pod.limits, resources.where())
    for main, container in with_resources(context) if pod.patch is not None else ():
        requests, limits = resources_of(container)
        if main:
            requests, limits = {**pod.requests, **requests}, {**pod.limits, **limits}
        yield from _container(requests, limits, container.entries["resources"].key.span)
    gpu = resources.gpu
    if gpu is not None:
        for place in (resources.both, resources.requests, resources.limits):
            if gpu.resource in place:
                message = f"{gpu.resource} is given by `gpu` and once more by name"
                other = Related(span=resources.where("gpu"), message="first given here")
                where = span_of(place[gpu.resource]) or resources.where()
                yield error(codes.DUPLICATE_GPU, message, where, help="leave one of them out", related=[other])


def _container(requests: dict[str, str], limits: dict[str, str], section: Span) -> Iterator[Diagnostic]:
    """The same for every container; `section` is pointed at for what has no place of its own."""
    for name, request in requests.items():
        limit, where = limits.get(name), span_of(request) or section
        if limit is None:
            if _is_whole(name):
                message = f"{name} can't be overcommitted: the request of {request} needs an equal limit"
                yield error(codes.REQUEST_OVER_LIMIT, message, where, help="without a request the limit is both")
            continue
        other = Related(span=span_of(limit) or section, message="the limit")
        if nanos(request) > nanos(limit):
            message = f"the {name} request {request} is above the limit {limit}"
            yield error(codes.REQUEST_OVER_LIMIT, message, where, related=[other])
        elif _is_whole(name) and nanos(request) != nanos(limit):
            message = f"{name} can't be overcommitted: request {request} and limit {limit} must be equal"
            yield error(codes.REQUEST_OVER_LIMIT, message, where, related=[other])
    for name, text in limits.items():
        if name.startswith(HUGE_PAGES) and not {"cpu", "memory"} & {*requests, *limits}:
            message = f"{name} are given only to pods that ask for CPUs or memory, too"
            yield error(codes.IMPOSSIBLE_QUANTITY, message, span_of(text) or section)
    given = {(name, text): None for place in (requests, limits) for name, text in place.items()}
    for name, text in given:
        yield from _impossible(name, text, span_of(text) or section)
    if "cpu" in limits:
        yield from _cpus(limits["cpu"], section)


def _impossible(name: str, text: str, where: Span) -> Iterator[Diagnostic]:
    """There is no half GPU, no tenth of a byte and no part of a page."""
    size = nanos(text)
    if size % NANO and (_is_whole(name) or name in IN_BYTES):
        unit = "bytes" if name in IN_BYTES else "devices"
        message = f"{text} of {name} is no whole number of {unit}"
        help_ = f"did you mean {text[:-1]}Mi?" if unit == "bytes" and text.endswith("m") else None
        yield error(codes.IMPOSSIBLE_QUANTITY, message, where, help=help_)
    elif name in IN_BYTES and 0 < size < MEBIBYTE:
        use = "in which nothing can run" if name == "memory" else "which the first line of a log fills"
        message = f"{name}: {text} is {size // NANO} bytes, {use}"
        help_ = f"did you mean {text}Gi?" if text.isdecimal() else None
        yield error(codes.IMPOSSIBLE_QUANTITY, message, where, help=help_)
    elif name.startswith(HUGE_PAGES):
        # IsHugePageResourceValueDivisible in kubernetes/kubernetes pkg/apis/core/helper/helpers.go
        page = name.removeprefix(HUGE_PAGES)
        # The schema has seen the names of `resources`, and not those of podTemplate.
        if page[:-2].isdecimal() and page[-2:] in ("Ki", "Mi", "Gi", "Ti") and size % (nanos(page) or size + 1):
            message = f"{text} is no whole number of pages of {page}"
            yield error(codes.IMPOSSIBLE_QUANTITY, message, where)


def _cpus(text: str, section: Span) -> Iterator[Diagnostic]:
    """`8000` for `8000m` and `8m` for `8`; a small request is how CPUs are overcommitted."""
    where = span_of(text) or section
    if nanos(text) >= MANY_CPUS:
        help_ = f"did you mean {text}m?" if text.isdecimal() else None
        yield warning(codes.IMPLAUSIBLE_CPU, f"cpu: {text} is more than any node has", where, help=help_)
    elif 0 < nanos(text) < FEW_CPUS:
        help_ = f"did you mean {text[:-1]}?" if text.endswith("m") else None
        message = f"cpu: {text} is less than a twentieth of one CPU, in which hardly anything runs"
        yield warning(codes.IMPLAUSIBLE_CPU, message, where, help=help_)


def _is_whole(name: str) -> bool:
    """Extended resources and huge pages are given out whole.

    https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/#using-device-plugins and
    https://kubernetes.io/docs/tasks/manage-hugepages/scheduling-hugepages/
    """
    return "/" in name or name.startswith(HUGE_PAGES)
