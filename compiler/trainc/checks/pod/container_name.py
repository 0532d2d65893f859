"""A container beside the training's that has the name which an operator demands for the training's."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.checks.shared.patched import containers
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.ir.pod import MAIN
from trainc.source.node import scalar_text

TRIGGERS = ("podTemplate",)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """The training container is `main` in every job file, and the back end renames it."""
    taken = context.system.container
    if not taken:
        return
    names = (taken, *context.system.init_containers) if context.job.leader_apart else (taken,)
    for field in ("containers", "initContainers"):
        for container in containers(context, field):
            name = scalar_text(container.get("name"))
            if name in names:
                message = f"{context.system.operator} has a container `{name}` of its own: this would be a second one"
                help_ = "give it another name"
                if name == taken:
                    message = f"on the back end {context.system.name} `{taken}` is the training container"
                    help_ = f"give this one another name; the training container is `{MAIN}` in podTemplate"
                yield error(codes.RESERVED_CONTAINER_NAME, message, container.where("name"), help=help_)
