"""Elastic bounds, and launchers that can't change their world while it runs."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import Case
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error, warning
from trainc.launchers.torchrun.spec import Torchrun
from trainc.spec.elastic import Elastic


def check(case: Case) -> Iterator[Diagnostic]:
    """minReplicas ≤ workers ≤ maxReplicas, and torchrun with a backend that re-forms."""
    elastic = case.spec.elastic
    if elastic is not None:
        yield from _bounds(case, elastic)
        yield from _launcher(case)
        yield from _sizes(case)


def _sizes(case: Case) -> Iterator[Diagnostic]:
    """Only an autoscaler or a hand can start with fewer pods than the maximum."""
    within = case.job.replicas.minimum <= case.spec.workers < case.job.replicas.maximum
    if case.backend.name in ("pods", "job") and case.spec.gives("workers") and within:
        message = f"`workers` has no effect on the back end {case.backend.name} where `elastic` is given"
        help_ = "all pods of maxReplicas are made, and training starts when minReplicas of them run"
        yield warning(codes.UNSUPPORTED_FIELD, message, case.spec.where("workers"), help=help_)
    if case.backend.name == "pods" and case.spec.elastic is not None:
        message = "a surplus Pod that starts after the end of the training fails and is started again for ever"
        help_ = "use the back end job, which is done when worker 0 is, or delete the Pods when it has ended"
        yield warning(codes.RUNS_AGAIN, message, case.spec.where("elastic"), help=help_)


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
