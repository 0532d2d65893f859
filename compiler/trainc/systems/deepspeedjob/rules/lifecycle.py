"""Lifecycle fields that a DeepSpeedJob cannot express."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Help, Message, RuleContext, codes, no_effect, use_backend, warning
from trainc.launchers.deepspeed.spec import Deepspeed
from trainc.systems.deepspeedjob.fields import retries_operator_codes
from trainc.systems.shared.t9k.fields import RETRYABLE

# Changes that runMode.pause.resumeSpecs expresses.
RESUME_SPECS = ("skipInitContainers", "command")

TRIGGERS = ("lifecycle", "mode", "launch.deepspeed.transport")


def check(context: RuleContext) -> Diagnostics:
    """https://github.com/t9k/user-manuals/blob/fbf6b3c/src/references/api-reference/deepspeedjob.md#worker"""
    if context.job.launcher_command is None:
        return
    lifecycle, failure = context.spec.lifecycle, context.job.failure
    if lifecycle.exit_codes is not None and not retries_operator_codes(failure):
        known = ", ".join(map(str, RETRYABLE))
        help_: Help = (Message("use `{lifecycle/exitCodes: {{retryable: [{}]}}}`", known), use_backend("job"))
        yield no_effect(context, "spec.lifecycle.exitCodes", f"the operator retries only {known}", help_)
    elif lifecycle.exit_codes is not None and failure.backoff_limit == 0:
        related, reason = [(lifecycle.where("backoffLimit"), "allows no retry")], "the first failure ends the job"
        yield no_effect(context, "spec.lifecycle.exitCodes", reason, "remove one of them", related=related)
    if lifecycle.restart_policy == "OnFailure":
        help_ = ("remove it", use_backend("job"))
        yield no_effect(
            context, "spec.lifecycle.restartPolicy", "the operator recreates failed pods", help_, removable=True
        )
    launch = context.spec.launch
    if isinstance(launch, Deepspeed) and launch.transport == "direct" and launch.has("transport"):
        help_ = ("remove it", use_backend(lambda other: not (other.starts_launcher or other.has_launcher_pod)))
        yield no_effect(
            context,
            "spec.launch.deepspeed.transport",
            "the operator starts the processes over ssh",
            help_,
            removable=True,
        )
    changes = context.spec.mode.node.entries if context.spec.paused_spec is not None else {}
    for entry in (entry for name, entry in changes.items() if name not in RESUME_SPECS):
        message = "of a paused DeepSpeedJob only runMode.pause.enabled can change, and resumeSpecs cannot express this"
        help_ = f"run `kubectl delete deepspeedjob {context.job.name}` first"
        yield warning(codes.IMMUTABLE_JOB, message, entry.key.span, help=help_)
