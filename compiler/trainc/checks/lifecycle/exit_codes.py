"""Rules on exit codes that never match."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Related, RuleContext, codes, error, warning

TRIGGERS = ("lifecycle.exitCodes",)


def check(context: RuleContext) -> Diagnostics:
    """torchrun hides the codes of its processes, and Kubernetes evaluates the rules only for failed pods."""
    lifecycle = context.spec.lifecycle
    where = lifecycle.where("exitCodes")
    if context.spec.launch.traits.hides_exit_codes:
        launcher = context.spec.launch.traits.name
        message = f"`exitCodes` never match: {launcher} exits with 1 whenever a process fails"
        yield warning(codes.HIDDEN_EXIT_CODE, message, where, help="use backoffLimit to limit retries")
    system = context.system
    in_place = lifecycle.restart_policy == "OnFailure" and system.container_restarts != "never"
    if in_place and system.supports("spec.lifecycle.exitCodes"):
        other = Related(span=lifecycle.where("restartPolicy"), message="conflicts with this")
        message = "`exitCodes` have no effect if containers are restarted in place"
        yield error(codes.HIDDEN_EXIT_CODE, message, where, help="use restartPolicy: Never", related=[other])
