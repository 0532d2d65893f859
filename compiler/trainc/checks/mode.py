"""Modes that a back end can only half keep."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.case import Case
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, warning


def check(case: Case) -> Iterator[Diagnostic]:
    """Bare Pods go on when they are no longer among the manifests."""
    if case.job.paused and case.backend.name == "pods":
        message = "`mode: paused` makes no Pods, and leaves those alone that run already"
        help_ = f"stop them: kubectl delete pods -l trainc.dev/job={case.job.name}"
        yield warning(codes.UNSUPPORTED_FIELD, message, case.spec.where("mode"), help=help_)
