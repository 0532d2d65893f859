"""Containers that get torchrun's arguments from an operator, and aren't torchrun."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.checks.shared.patched import containers
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, warning
from trainc.ir.pod import MAIN
from trainc.source.node import Mapping, Scalar, Sequence, scalar_text
from trainc.systems.elasticjob.resource_fields import takes_arguments

TRIGGERS = ("run.entrypoint", "podTemplate")

SHELLS = ("sh", "bash", "dash", "ash")


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """SetClusterSpecForPod of kubernetes/controllers/pod.go in pytorch/elastic: of every container but init containers.
    From the training's own the back end takes them away where there is a command."""
    if not context.job.pod.program.command and not takes_arguments(context.job):
        message = "the operator puts torchrun's arguments before these, for the image's entrypoint"
        help_ = "use exec, and name what the entrypoint starts"
        yield warning(codes.OPERATOR_ADDS_ARGUMENTS, message, context.spec.run.where("entrypoint"), help=help_)
    for container in containers(context):
        if scalar_text(container.get("name")) != MAIN and not _drops(container):
            message = "the operator puts torchrun's arguments before those of this container"
            help_ = "start it by a shell that takes no arguments: command: [sh, -c, …]"
            field = next(name for name in ("args", "command", "name") if name in container.entries)
            yield warning(codes.OPERATOR_ADDS_ARGUMENTS, message, container.entries[field].key.span, help=help_)


def _drops(container: Mapping) -> bool:
    """Whether it is a shell's script, to which arguments are only its `$0` and `$1`: of the command alone."""
    command = container.get("command")
    items = command.items if isinstance(command, Sequence) else []
    words = [item.text for item in items if isinstance(item, Scalar)]
    return len(words) > 2 and words[0].rpartition("/")[2] in SHELLS and words[1] in ("-c", "-ec", "-lc", "-euc")
