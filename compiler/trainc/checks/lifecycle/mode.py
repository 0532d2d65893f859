"""Modes that a back end can only half keep."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning

TRIGGERS = ("mode",)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Bare Pods go on when they are no longer among the manifests. An ElasticJob can't be suspended, and its operator
    takes one without workers for done: UpdateJobStatus of kubernetes/controllers/job.go in pytorch/elastic."""
    where = context.spec.where("mode")
    if context.job.paused and context.backend.name == "pods":
        message = "`mode: paused` makes no Pods, and leaves those alone that run already"
        help_ = f"stop them: kubectl delete pods -l trainc.dev/job={context.job.name}"
        yield warning(codes.UNSUPPORTED_BY_BACKEND, message, where, help=help_)
    if context.job.paused and context.backend.name == "elasticjob":
        message = "an ElasticJob can't be paused: its operator takes one without workers for done"
        help_ = f"delete it (kubectl delete elasticjob {context.job.name}), or use the back end job"
        yield error(codes.PAUSE_UNSUPPORTED, message, where, help=help_)
