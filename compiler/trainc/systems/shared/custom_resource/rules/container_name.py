"""Container with the name that an operator reserves for the training container."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, Phrase, RuleContext, codes, error
from trainc.checks.shared.user_fields import patched_containers
from trainc.source.node import scalar_text
from trainc.well_known import MAIN

TRIGGERS = ("podTemplate",)


def check(context: RuleContext) -> Diagnostics:
    """Reject the operator's name: the training container is `main` in every job file, and the back end renames it."""
    reserved = context.system.container
    names = (reserved, *context.system.init_containers) if context.job.has_leader_role else (reserved,)
    for container in patched_containers(context):
        name = scalar_text(container.get("name"))
        if name in names:
            message = f"{context.system.operator} adds its own container `{name}`: this one is a duplicate"
            help_: Phrase = "rename it"
            if name == reserved:
                message = f"the back end {context.system.name} names the training container `{reserved}`"
                help_ = Message("rename this container; the training container is `{}` in {podTemplate}", MAIN)
            yield error(codes.RESERVED_CONTAINER_NAME, message, container.where("name"), help=help_)
