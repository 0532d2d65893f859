"""Options and values that torchrun has, but its predecessor torchelastic lacks."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, warning
from trainc.launchers.torchrun.options import OPTIONS, TORCHELASTIC_BACKEND, TORCHELASTIC_OPTIONS
from trainc.launchers.torchrun.spec import Torchrun, is_older
from trainc.launchers.torchrun.traits import SINCE, reads_variables, torchelastic_version

TRIGGERS = ("launch.torchrun.module",)

COUNTED = ("auto", "cpu", "gpu")
OTHER_RUN = "use `module: torch.distributed.run`"


def check(context: RuleContext) -> Diagnostics:
    """https://github.com/pytorch/elastic/blob/v0.2.2/torchelastic/distributed/launch.py"""
    launch, grace = Torchrun.of(context.spec), context.spec.lifecycle.where("terminationGracePeriodSeconds")
    if not launch.is_torchelastic:
        return
    rendezvous, word = launch.rendezvous, launch.requested_processes
    if rendezvous.backend not in (None, TORCHELASTIC_BACKEND):
        message, where = f"torchelastic has no rendezvous backend `{rendezvous.backend}`", rendezvous.where("backend")
        yield error(codes.TORCHELASTIC_LACKS_OPTION, message, where, help=f"use {TORCHELASTIC_BACKEND}")
    own = [option for option in OPTIONS if option.field.startswith("launch.") and launch.has(option.key)]
    for option in own:
        if option.name not in TORCHELASTIC_OPTIONS:
            message, where = f"torchelastic has no option `{option.key}`", launch.where(option.key)
            yield error(codes.TORCHELASTIC_LACKS_OPTION, message, where, help=f"remove it, or {OTHER_RUN}")
    if isinstance(word, str) and word not in COUNTED:
        message = f"torchelastic cannot count processes by `{word}`"
        where, help_ = launch.where("nprocPerNode"), f"use a number, or one of {', '.join(COUNTED)}"
        yield error(codes.TORCHELASTIC_LACKS_OPTION, message, where, help=help_)
    version = torchelastic_version(context.spec.image)
    related = [(context.spec.where("image"), "the job's torchelastic")]
    ignores_variables = not launch.wraps_program and not reads_variables(context.spec.image)
    for option in own if ignores_variables else ():
        name = f"--{option.name}"
        if not any(name in str(word) for word in context.spec.run.words):
            message = f"torchelastic {version} reads no PET_ variables, and so not `{option.key}`"
            where, help_ = launch.where(option.key), f"remove it, and start the launcher with `{name}`"
            yield error(codes.TORCHELASTIC_LACKS_OPTION, message, where, help=help_, related=related)
    for option in own:
        since = SINCE.get(option.name)
        if version and since and is_older(version, since):
            message, where = f"torchelastic {version} has no option `{option.key}`", launch.where(option.key)
            help_ = f"remove it, or use an image with torchelastic {since}"
            yield error(codes.TORCHELASTIC_LACKS_OPTION, message, where, help=help_, related=related)
    if context.spec.lifecycle.termination_grace_period_seconds is not None:
        message = "torchelastic handles no SIGTERM: the processes are killed at the end of the grace period"
        yield warning(codes.SIGTERM_IGNORED, message, grace, help=f"remove it, or {OTHER_RUN}")
