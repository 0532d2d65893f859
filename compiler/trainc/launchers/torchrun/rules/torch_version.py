"""Options that the job's torch lacks."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error
from trainc.launchers.torchrun.options import OPTIONS
from trainc.launchers.torchrun.spec import Torchrun
from trainc.launchers.torchrun.versions import is_older, torch_version

# The options that not all versions have.
TRIGGERS = (
    "launch.torchrun.shutdownTimeout",
    "launch.torchrun.signals",
    "launch.torchrun.localAddr",
    "launch.torchrun.virtualLocalRank",
    "launch.torchrun.localRanksFilter",
    "launch.torchrun.logLinePrefixTemplate",
    "launch.torchrun.duplicateStdoutFilters",
    "launch.torchrun.duplicateStderrFilters",
    "launch.torchrun.eventLogHandler",
    "launch.torchrun.numaBinding",
    "launch.torchrun.logsSpecs",
)


def check(context: RuleContext) -> Diagnostics:
    """Report unknown options: torchrun ignores an unknown variable, and fails at an unknown argument."""
    launch, torch = Torchrun.of(context.spec), torch_version(context.spec)
    if torch is None:
        return
    for option in OPTIONS:
        if launch.has(option.key) and is_older(torch, option.since):
            effect = "ignores" if option.variable else "rejects"
            message = f"torch {torch} {effect} `{option.key}`, which requires {option.since} or newer"
            other = (torch.span, "the job's torch")
            yield error(codes.TORCH_TOO_OLD, message, launch.where(option.key), related=[other])
