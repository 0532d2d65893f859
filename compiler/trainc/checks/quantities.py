"""Requests above limits, and GPUs asked for in two places."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.case import Case
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error
from trainc.lower.quantity import MEBIBYTE, NANO, amount
from trainc.span import span_of

IN_BYTES = ("memory", "ephemeral-storage")


def check(case: Case) -> Iterator[Diagnostic]:
    """What the API server refuses, and what gets the container killed."""
    pod, resources = case.job.pod, case.spec.resources
    for name, request in pod.requests.items():
        limit, where = pod.limits.get(name), span_of(request) or resources.where()
        if limit is None:
            if _is_whole(name):
                message = f"{name} can't be overcommitted: the request of {request} needs an equal limit"
                yield error(codes.REQUEST_OVER_LIMIT, message, where, help="without a request the limit is both")
            continue
        other = Related(span=span_of(limit) or resources.where(), message="the limit")
        if amount(request) > amount(limit):
            message = f"the {name} request {request} is above the limit {limit}"
            yield error(codes.REQUEST_OVER_LIMIT, message, where, related=[other])
        elif _is_whole(name) and amount(request) != amount(limit):
            message = f"{name} can't be overcommitted: request {request} and limit {limit} must be equal"
            yield error(codes.REQUEST_OVER_LIMIT, message, where, related=[other])
    yield from _fractions(case)
    gpu = resources.gpu
    if gpu is not None:
        for place in (resources.both, resources.requests, resources.limits):
            if gpu.resource in place:
                message = f"{gpu.resource} is given by `gpu` and once more by name"
                other = Related(span=resources.where("gpu"), message="first given here")
                where = span_of(place[gpu.resource]) or resources.where()
                yield error(codes.GPU_GIVEN_TWICE, message, where, help="leave one of them out", related=[other])


def _fractions(case: Case) -> Iterator[Diagnostic]:
    """There is no half GPU and no tenth of a byte."""
    pod, resources = case.job.pod, case.spec.resources
    for name, text in pod.limits.items():
        if name.startswith("hugepages-") and not {"cpu", "memory"} & {*pod.requests, *pod.limits}:
            message = f"{name} are given only to pods that ask for CPUs or memory, too"
            yield error(codes.IMPOSSIBLE_QUANTITY, message, span_of(text) or resources.where())
    given = {(name, text): None for place in (pod.requests, pod.limits) for name, text in place.items()}
    for name, text in given:
        if amount(text) % NANO and (_is_whole(name) or name in IN_BYTES):
            unit = "bytes" if name in IN_BYTES else "devices"
            message = f"{text} of {name} is no whole number of {unit}"
            help_ = f"did you mean {text[:-1]}Mi?" if unit == "bytes" and text.endswith("m") else None
            yield error(codes.IMPOSSIBLE_QUANTITY, message, span_of(text) or resources.where(), help=help_)
        elif name == "memory" and 0 < amount(text) < MEBIBYTE:
            message = f"memory: {text} is {amount(text) // NANO} bytes, in which nothing can run"
            help_ = f"did you mean {text}Gi?" if text.isdecimal() else None
            yield error(codes.IMPOSSIBLE_QUANTITY, message, span_of(text) or resources.where(), help=help_)


def _is_whole(name: str) -> bool:
    """Extended resources and huge pages are given out whole.

    https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/#using-device-plugins and
    https://kubernetes.io/docs/tasks/manage-hugepages/scheduling-hugepages/
    """
    return "/" in name or name.startswith("hugepages-")
