"""Spot nodes whose reclaim ends an ElasticJob."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, warning
from trainc.systems.elasticjob.resource_fields import restart_policy
from trainc.systems.shared.kubeflow.facts import RETRYABLE

TRIGGERS = ("scheduling.spot",)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """A node that shuts down ends its pods as Failed, and UpdateJobStatus of kubernetes/controllers/job.go in
    pytorch/elastic takes one for the end: https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/"""
    if context.spec.scheduling.spot is not None and restart_policy(context.job.failure) != "ExitCode":
        message = "a pod that its spot node ends when it is reclaimed ends the job"
        help_ = f"give lifecycle.exitCodes: {{retryable: [{', '.join(map(str, RETRYABLE))}]}}, or use the back end job"
        yield warning(codes.SPOT_POD_NOT_REPLACED, message, context.spec.scheduling.where("spot"), help=help_)
