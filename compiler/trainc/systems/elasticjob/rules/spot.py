"""Spot nodes whose loss ends an ElasticJob."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.systems.elasticjob.resource_fields import restart_policy
from trainc.systems.shared.kubeflow.facts import RETRYABLE

TRIGGERS = ("scheduling.spot",)


def check(context: RuleContext) -> Diagnostics:
    """Pods of a node that shuts down are Failed, which UpdateJobStatus of kubernetes/controllers/job.go in
    pytorch/elastic takes for the end: https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/"""
    if context.spec.scheduling.spot is not None and restart_policy(context.job.failure) != "ExitCode":
        message = "a reclaimed spot node terminates its pod, which ends the job"
        help_ = f"set `lifecycle.exitCodes: {{retryable: [{', '.join(map(str, RETRYABLE))}]}}`, or use `--backend job`"
        yield warning(codes.SPOT_POD_NOT_REPLACED, message, context.spec.scheduling.where("spot"), help=help_)
