"""Options and values that torchrun has, but its predecessor torchelastic lacks."""

from __future__ import annotations

import re

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, warning
from trainc.launchers.torchrun.options import OPTIONS, TORCHELASTIC_BACKEND, TORCHELASTIC_OPTIONS
from trainc.launchers.torchrun.spec import Torchrun

TRIGGERS = ("launch.torchrun.module",)

COUNTED = ("auto", "cpu", "gpu")
OTHER_RUN = "use `module: torch.distributed.run`"
# https://github.com/pytorch/elastic/blob/v0.2.0/torchelastic/distributed/launch.py
WITHOUT_VARIABLES = re.compile(r"torchelastic[^@]*[:-]v?0\.2\.0(?![0-9.])")


def check(context: RuleContext) -> Diagnostics:
    """https://github.com/pytorch/elastic/blob/v0.2.2/torchelastic/distributed/launch.py"""
    launch, grace = Torchrun.of(context.spec), context.spec.lifecycle.where("terminationGracePeriodSeconds")
    if not launch.is_torchelastic:
        return
    rendezvous, word = launch.rendezvous, launch.requested_processes
    if rendezvous.backend not in (None, TORCHELASTIC_BACKEND):
        message, where = f"torchelastic has no rendezvous backend `{rendezvous.backend}`", rendezvous.where("backend")
        yield error(codes.TORCHELASTIC_LACKS_OPTION, message, where, help=f"use {TORCHELASTIC_BACKEND}")
    for option in OPTIONS:
        if launch.has(option.key) and option.field.startswith("launch.") and option.name not in TORCHELASTIC_OPTIONS:
            message, where = f"torchelastic has no option `{option.key}`", launch.where(option.key)
            yield error(codes.TORCHELASTIC_LACKS_OPTION, message, where, help=f"remove it, or {OTHER_RUN}")
    if isinstance(word, str) and word not in COUNTED:
        message = f"torchelastic cannot count processes by `{word}`"
        where, help_ = launch.where("nprocPerNode"), f"use a number, or one of {', '.join(COUNTED)}"
        yield error(codes.TORCHELASTIC_LACKS_OPTION, message, where, help=help_)
    if launch.wraps_program and WITHOUT_VARIABLES.search(context.spec.image):
        message = "torchelastic 0.2.0 reads no PET_ variables, and so none of the options"
        related = [(context.spec.where("image"), "the job's torchelastic")]
        help_ = "use an image with 0.2.2"
        yield error(codes.TORCHELASTIC_LACKS_OPTION, message, launch.where("module"), help=help_, related=related)
    if context.spec.lifecycle.termination_grace_period_seconds is not None:
        message = "torchelastic handles no SIGTERM: the processes are killed at the end of the grace period"
        yield warning(codes.SIGTERM_IGNORED, message, grace, help=f"remove it, or {OTHER_RUN}")
