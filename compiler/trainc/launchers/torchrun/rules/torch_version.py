"""Options that the job's torch lacks."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error
from trainc.launchers.option import version
from trainc.launchers.torchrun.options import OPTIONS
from trainc.launchers.torchrun.spec import Torchrun

TRIGGERS = ("launch.torchrun.torchVersion",)


def check(context: RuleContext) -> Diagnostics:
    """Report unknown options: torchrun ignores an unknown variable, and fails at an unknown argument."""
    launch = Torchrun.of(context.spec)
    if launch.torch_version is None:
        return
    for option in OPTIONS:
        if launch.has(option.key) and version(launch.torch_version) < version(option.since):
            effect = "ignores" if option.variable else "rejects"
            message = f"torch {launch.torch_version} {effect} `{option.key}`, which requires {option.since} or newer"
            other = (launch.where("torchVersion"), "the job's torch")
            yield error(codes.TORCH_TOO_OLD, message, launch.where(option.key), related=[other])
