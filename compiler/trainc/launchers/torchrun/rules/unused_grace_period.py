"""Grace period longer than an old torchrun's fixed timeout."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, warning
from trainc.launchers.option import version
from trainc.launchers.torchrun.options import BY_NAME
from trainc.launchers.torchrun.spec import Torchrun

TRIGGERS = ("lifecycle.terminationGracePeriodSeconds",)

FIXED = 30  # seconds between SIGTERM and SIGKILL of a process; torch before 2.12 has no option for it


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """A longer grace period than the fixed timeout has no effect."""
    launch, lifecycle = context.spec.launch, context.spec.lifecycle
    if (lifecycle.termination_grace_period_seconds or 0) <= FIXED:
        return
    if not isinstance(launch, Torchrun) or launch.torch_version is None:
        return
    if version(launch.torch_version) >= version(BY_NAME["shutdown_timeout"].since):
        return
    related = [Related(span=launch.where("torchVersion"), message="torch 2.12 added a shutdown timeout")]
    message = f"torchrun of torch {launch.torch_version} kills processes {FIXED} s after SIGTERM"
    where = lifecycle.where("terminationGracePeriodSeconds")
    yield warning(
        codes.UNUSED_GRACE_PERIOD, f"{message}: the longer grace period has no effect", where, related=related
    )
