"""Elastic jobs, which Kubeflow Trainer lacks: https://github.com/kubeflow/trainer/pull/3235 removed its policy."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, note, use_backend

TRIGGERS = ("elastic",)


def check(context: RuleContext) -> Diagnostics:
    """Name what serves instead: torchrun of trainc's runtime is elastic, and the Job of its pods can be scaled."""
    elastic = context.spec.elastic
    if elastic is None or context.job.runtime is not None or not context.spec.launch.traits.is_elastic:
        return
    message = (
        "Kubeflow Trainer 2 has no elastic jobs: the number of the TrainJob's nodes is fixed, and nothing scales it"
    )
    command = context.system.scale_by_hand.replace("NAME", context.job.name)
    help_ = (f"scale its Job by hand: {command}", use_backend(lambda other: other.is_scalable, " for an autoscaler"))
    yield note(codes.OPERATOR_NOT_ELASTIC, message, context.spec.where("elastic"), help=help_)
