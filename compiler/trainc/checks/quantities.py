"""Requests above limits, GPUs asked for in two places, and shared memory that the memory limit can't hold."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.case import Case
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error
from trainc.lower.quantity import amount
from trainc.span import span_of


def check(case: Case) -> Iterator[Diagnostic]:
    """What the API server refuses, and what gets the container killed."""
    pod, resources = case.job.pod, case.spec.resources
    for name, limit in pod.limits.items():
        request = pod.requests.get(name)
        where = span_of(request) or resources.where()
        other = Related(span=span_of(limit) or resources.where(), message="the limit")
        if request is None or amount(request) == amount(limit):
            continue
        if amount(request) > amount(limit):
            message = f"the {name} request {request} is above the limit {limit}"
            yield error(codes.REQUEST_OVER_LIMIT, message, where, related=[other])
        elif "/" in name:
            # https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/#using-device-plugins
            message = f"{name} can't be overcommitted: request {request} and limit {limit} must be equal"
            yield error(codes.REQUEST_OVER_LIMIT, message, where, related=[other])
    gpu = resources.gpu
    if gpu is not None:
        for place in (resources.both, resources.requests, resources.limits):
            if gpu.resource in place:
                message = f"{gpu.resource} is given by `gpu` and once more by name"
                yield error(codes.GPU_GIVEN_TWICE, message, span_of(place[gpu.resource]) or resources.where())
    yield from _shared_memory(case)


def _shared_memory(case: Case) -> Iterator[Diagnostic]:
    size, limit = case.spec.shared_memory, case.job.pod.limits.get("memory")
    if not size or limit is None or amount(size) < amount(limit):
        return
    other = Related(span=span_of(limit) or case.spec.resources.where("memory"), message="the memory limit")
    message = f"shared memory of {size} can't fill up: it counts against the memory limit of {limit}"
    yield error(codes.SHARED_MEMORY, message, case.spec.where("sharedMemory"), related=[other])
