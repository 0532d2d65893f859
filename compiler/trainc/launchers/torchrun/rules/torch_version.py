"""Options that the job's torch lacks."""

from __future__ import annotations

import re

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, note
from trainc.launchers.torchrun.options import OPTIONS
from trainc.launchers.torchrun.settings import shutdown_timeout
from trainc.launchers.torchrun.spec import Torchrun
from trainc.launchers.torchrun.versions import is_older, torch_version
from trainc.span import Span

TRIGGERS = ("launch.torchrun",)


def check(context: RuleContext) -> Diagnostics:
    """Report unknown options: torchrun ignores an unknown variable, and fails at an unknown argument."""
    launch = Torchrun.of(context.spec)
    options = [option for option in OPTIONS if option.since and launch.has(option.key)]
    torch = torch_version(context.spec) if options else None
    if torch is None:
        return
    for option in options:
        if is_older(torch, option.since):
            where = launch.where(option.key)
            effect = "ignores" if option.variable else "rejects"
            is_harmless = context.in_own_system and _is_variable(where)
            if is_harmless and _is_default(context, launch, option.key):
                continue
            if context.file_kind and not is_harmless:
                effect = "rejects"  # an argument
            message = f"torch {torch} {effect} `{option.key}`, which requires {option.since} or newer"
            other = (torch.span, "the job's torch")
            severity = note if is_harmless else error
            yield severity(codes.TORCH_TOO_OLD, message, where, related=[other])


def _is_default(context: RuleContext, launch: Torchrun, field: str) -> bool:
    """Return whether trainc has set an option in a manifest that it emitted: every torch ignores unknown variables."""
    derived = shutdown_timeout(launch.replace(shutdown_timeout=None), context.spec.lifecycle)
    return context.is_own and field == "shutdownTimeout" and launch.shutdown_timeout == derived


def _is_variable(where: Span) -> bool:
    """Return whether a value is that of a variable in a container's env."""
    return re.search(r"value:\s*[\"']?$", where.source.line(where.line)[: where.column - 1]) is not None
