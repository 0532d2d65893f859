"""Containers that get torchrun's arguments from an operator, and aren't torchrun."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.checks.shared.pod import Container
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, warning
from trainc.systems.elasticjob.resource_fields import takes_arguments
from trainc.well_known import MAIN

TRIGGERS = ("run.entrypoint", "podTemplate")

SHELLS = ("sh", "bash", "dash", "ash")


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """SetClusterSpecForPod of kubernetes/controllers/pod.go in pytorch/elastic: of every container but init containers.
    From the training's own the back end takes them away where there is a command."""
    if not context.job.pod.program.command and not takes_arguments(context.job):
        message = "the operator puts torchrun's arguments before these, for the image's entrypoint"
        help_ = "use exec, and name what the entrypoint starts"
        yield warning(codes.OPERATOR_ADDS_ARGUMENTS, message, context.spec.run.where("entrypoint"), help=help_)
    for container in context.pod.containers:
        if container.name != MAIN and not _drops(container):
            message = "the operator puts torchrun's arguments before those of this container"
            help_ = "start it by a shell that takes no arguments: command: [sh, -c, …]"
            field = next(name for name in ("args", "command", "name") if name in container.node.entries)
            yield warning(codes.OPERATOR_ADDS_ARGUMENTS, message, container.node.entries[field].key.span, help=help_)


def _drops(container: Container) -> bool:
    """Whether it is a shell's script, to which arguments are only its `$0` and `$1`: of the command alone."""
    words = container.words("command")
    return len(words) > 2 and words[0].rpartition("/")[2] in SHELLS and words[1] in ("-c", "-ec", "-lc", "-euc")
