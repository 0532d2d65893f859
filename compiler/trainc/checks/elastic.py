"""Elastic bounds, and launchers that can't change their world while it runs."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.case import Case
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error
from trainc.spec.elastic import Elastic
from trainc.spec.launch import Torchrun


def check(case: Case) -> Iterator[Diagnostic]:
    """minReplicas ≤ workers ≤ maxReplicas, and torchrun with a backend that re-forms."""
    elastic = case.spec.elastic
    if elastic is not None:
        yield from _bounds(case, elastic)
        yield from _launcher(case)


def _bounds(case: Case, elastic: Elastic) -> Iterator[Diagnostic]:
    low, high = elastic.min_replicas, elastic.max_replicas
    if low > high:
        other = Related(span=elastic.where("maxReplicas"), message=f"the maximum is {high}")
        message = f"minReplicas {low} is above maxReplicas {high}"
        yield error(codes.ELASTIC_BOUNDS, message, elastic.where("minReplicas"), related=[other])
    elif case.spec.gives("workers") and not low <= case.spec.workers <= high:
        bound = "minReplicas" if case.spec.workers < low else "maxReplicas"
        other = Related(span=elastic.where(bound), message="conflicts with this")
        message = f"workers {case.spec.workers} is outside of the elastic range {low} to {high}"
        yield error(codes.ELASTIC_BOUNDS, message, case.spec.where("workers"), related=[other])


def _launcher(case: Case) -> Iterator[Diagnostic]:
    launch = case.spec.launch
    if not isinstance(launch, Torchrun):
        name = type(launch).__name__.lower()
        message = f"{name} has a world of fixed size and can't be elastic"
        yield error(
            codes.NOT_ELASTIC, message, case.spec.where("elastic"), help="use launch.torchrun, or leave elastic out"
        )
    elif launch.rendezvous.backend == "static":
        other = Related(span=case.spec.where("elastic"), message="conflicts with this")
        message = "the static rendezvous waits for maxReplicas and can't be elastic"
        where = launch.rendezvous.where("backend")
        yield error(codes.NOT_ELASTIC, message, where, help="use the backend c10d", related=[other])
