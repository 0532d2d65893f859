"""Options that the job's torch, or torchrun's predecessor torchelastic, lacks."""

from __future__ import annotations

import re

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, note, warning
from trainc.launchers.torchrun.options import OPTIONS, TORCHELASTIC_BACKEND, TORCHELASTIC_OPTIONS
from trainc.launchers.torchrun.settings import shutdown_timeout
from trainc.launchers.torchrun.spec import Torchrun, is_older, torch_version
from trainc.launchers.torchrun.traits import SINCE, reads_variables, torchelastic_version
from trainc.span import Span

TRIGGERS = ("launch.torchrun",)

COUNTED = ("auto", "cpu", "gpu")
OTHER_RUN = "use `module: torch.distributed.run`"


def check(context: RuleContext) -> Diagnostics:
    yield from _torch(context)
    yield from _torchelastic(context)


def _torch(context: RuleContext) -> Diagnostics:
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


def _torchelastic(context: RuleContext) -> Diagnostics:
    """Report options and values of torchrun that torchelastic lacks:
    https://github.com/pytorch/elastic/blob/v0.2.2/torchelastic/distributed/launch.py
    """
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
