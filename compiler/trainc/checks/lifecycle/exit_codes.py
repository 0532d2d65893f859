"""Rules on exit codes that never see one."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error, warning
from trainc.launchers.torchrun.spec import Torchrun

TRIGGERS = ("lifecycle.exitCodes",)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """torchrun hides its processes' codes, and Kubernetes has such rules only for pods that are never restarted."""
    lifecycle = context.spec.lifecycle
    where = lifecycle.where("exitCodes")
    if isinstance(context.spec.launch, Torchrun):
        message = "torchrun exits with 1 whatever its processes exited with: these codes are not theirs"
        yield warning(codes.HIDDEN_EXIT_CODE, message, where)
    system = context.system
    in_place = lifecycle.restart_policy == "OnFailure" and system.container_restarts != "never"
    if in_place and system.supports("spec.lifecycle.exitCodes"):
        other = Related(span=lifecycle.where("restartPolicy"), message="conflicts with this")
        message = "exit codes are judged only where a failed pod is replaced"
        yield error(codes.HIDDEN_EXIT_CODE, message, where, help="use restartPolicy: Never", related=[other])
