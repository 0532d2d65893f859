"""Lifecycle fields that a DeepSpeedJob cannot express."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.launchers.deepspeed.spec import Deepspeed
from trainc.systems.shared.t9k.facts import RETRYABLE
from trainc.systems.shared.t9k.objects import retries_operator_codes

TRIGGERS = ("lifecycle", "mode", "launch.deepspeed.transport")

NO_EFFECT = "`{}` has no effect on the back end deepspeedjob: "


def check(context: RuleContext) -> Diagnostics:
    """https://github.com/t9k/user-manuals/blob/fbf6b3c/src/references/api-reference/deepspeedjob.md#worker"""
    if context.job.launcher_command is None:
        return
    lifecycle, failure = context.spec.lifecycle, context.job.failure
    if lifecycle.exit_codes is not None and not retries_operator_codes(failure):
        known = ", ".join(map(str, RETRYABLE))
        message = NO_EFFECT.format("spec.lifecycle.exitCodes") + f"the operator retries only {known}"
        help_ = f"use `exitCodes: {{retryable: [{known}]}}`, or `--backend job`"
        yield warning(codes.UNSUPPORTED_BY_BACKEND, message, lifecycle.where("exitCodes"), help=help_)
    elif lifecycle.exit_codes is not None and failure.backoff_limit == 0:
        other = (lifecycle.where("backoffLimit"), "allows no retry")
        message = NO_EFFECT.format("spec.lifecycle.exitCodes") + "the first failure ends the job"
        where = lifecycle.where("exitCodes")
        yield warning(codes.UNSUPPORTED_BY_BACKEND, message, where, help="remove one of them", related=[other])
    if lifecycle.restart_policy == "OnFailure":
        message = NO_EFFECT.format("spec.lifecycle.restartPolicy") + "the operator recreates failed pods"
        where = lifecycle.where("restartPolicy")
        yield warning(codes.UNSUPPORTED_BY_BACKEND, message, where, help="remove it, or use `--backend pytorchjob`")
    launch = context.spec.launch
    if isinstance(launch, Deepspeed) and launch.transport == "direct" and launch.gives("transport"):
        message = NO_EFFECT.format("spec.launch.deepspeed.transport") + "the operator starts the processes over ssh"
        help_ = "remove it, or use one of the back ends pods, job, statefulset, pytorchjob"
        yield warning(codes.UNSUPPORTED_BY_BACKEND, message, launch.where("transport"), help=help_)
    mode = context.spec.mode
    for entry in mode.node.entries.values() if context.spec.paused_spec is not None else ():
        message = "only runMode.pause.enabled of a paused DeepSpeedJob is documented to be mutable"
        help_ = f"run `kubectl delete deepspeedjob {context.job.name}` first"
        yield warning(codes.IMMUTABLE_JOB, message, entry.key.span, help=help_)
