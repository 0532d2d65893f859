"""Containers that receive torchrun's arguments from the operator, but do not run torchrun."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, Phrase, RuleContext, codes, error, warning
from trainc.systems.elasticjob.resource_fields import takes_arguments
from trainc.well_known import MAIN

TRIGGERS = ("run.entrypoint", "podTemplate")

SHELLS = ("sh", "bash", "dash", "ash")
SCRIPT = ("-c", "-ec", "-lc", "-euc")


def check(context: RuleContext) -> Diagnostics:
    """Report containers that don't run torchrun.

    SetClusterSpecForPod of kubernetes/controllers/pod.go in pytorch/elastic prepends the arguments to every container
    except init containers. In the training container the back end drops them if it has a command.
    """
    if not context.job.pod.program.command and not takes_arguments(context.job):
        message = "the operator prepends torchrun's arguments to those of the image's entrypoint"
        help_: Phrase = Message("use {run.exec} with the command that the entrypoint starts")
        severity = warning if context.spec.launch.traits.variable_prefix else error  # it may be torchrun
        yield severity(codes.OPERATOR_ADDS_ARGUMENTS, message, context.spec.run.where("entrypoint"), help=help_)
    for container in context.pod.containers:
        words = container.words("command")
        # Of a shell script the arguments are only `$0` and `$1`.
        is_script = len(words) > 2 and words[0].rpartition("/")[2] in SHELLS and words[1] in SCRIPT
        if container.name != MAIN and not is_script:
            message = "the operator prepends torchrun's arguments to those of this container"
            help_ = "start it by a shell, which ignores them: `command: [sh, -c, …]`"
            field = next(name for name in ("args", "command", "name") if name in container.node.entries)
            yield warning(codes.OPERATOR_ADDS_ARGUMENTS, message, container.node.entries[field].key.span, help=help_)
