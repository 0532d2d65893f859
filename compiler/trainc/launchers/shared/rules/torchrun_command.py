"""Command torchrun, or its module, in an image whose torch lacks it."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, put
from trainc.checks.shared.program_command import call_span, program_launcher
from trainc.launchers.torchrun.spec import COMMAND_SINCE, MODULE_SINCE, Torchrun, is_older, torch_version
from trainc.launchers.torchrun.traits import TORCHELASTIC, TRAITS

TRIGGERS = ("launch.torchrun.torchVersion", "names_old_torch()")

MODULE = "torch.distributed.run"


def check(context: RuleContext) -> Diagnostics:
    """Check the launcher that trainc starts, else the one on the program's command line."""
    torch = torch_version(context.spec)
    if torch is None or not is_older(torch, COMMAND_SINCE):
        return
    launch, call = context.spec.launch, program_launcher(context)
    if isinstance(launch, Torchrun) and launch.is_torchelastic:
        return
    if isinstance(launch, Torchrun) and launch.wraps_program:
        name, where = launch.module or TRAITS.command, launch.span_of("module") or context.launch_key
        field = "" if context.file_kind or context.in_own_system else f" (`launch.torchrun.module: {MODULE}`)"
    elif call is not None and call.launcher == TRAITS.name:
        name, where, field = call.name.base_name, call_span(context, call), ""
    else:
        return
    if is_older(torch, MODULE_SINCE) or name == TRAITS.command:
        since = COMMAND_SINCE if name == TRAITS.command else MODULE_SINCE
        message = f"torch {torch} has no `{name}`, which requires {since} or newer"
        help_ = f"use `python3 -m {MODULE}`{field}"
        remedy = put("spec.launch.torchrun.module", MODULE, safe=True) if field else None
        if is_older(torch, MODULE_SINCE):
            help_ = f"use an image with torch {COMMAND_SINCE} or newer, or `python3 -m {TORCHELASTIC}`"
            remedy = None
        related = [(torch.span, "the job's torch")]
        yield error(codes.TORCHRUN_MISSING, message, where, help=help_, related=related, remedy=remedy)
