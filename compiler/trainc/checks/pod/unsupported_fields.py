"""Fields that the back end does not support."""

from __future__ import annotations

from functools import reduce

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, warning
from trainc.source.node import Sequence
from trainc.spec.section import inside
from trainc.systems.registry import NAMES, traits

TRIGGERS = ("always()",)


def check(context: RuleContext) -> Diagnostics:
    """Check the launcher against the system's operator, else the job against the system's unsupported fields."""
    spec, system = context.spec, context.system
    if system.starts_launcher and context.job.launcher_command is None and not _is_idle(context):
        supporting = ", ".join(name for name in NAMES if not traits(name).starts_launcher)
        message = f"{system.a_kind} supports only the launcher deepspeed, not {context.job.launch.launcher.name}"
        help_ = f"use one of the back ends {supporting}"
        yield error(codes.LAUNCHER_UNSUPPORTED, message, context.launch_key, help=help_)
        return
    for path, reason in system.unsupported.items():
        *sections, name = path.split(".")[1:]
        entry = reduce(inside, sections, spec.node).entries.get(name)
        if entry and (not isinstance(entry.value, Sequence) or entry.value.items):
            supporting = ", ".join(name for name in NAMES if traits(name).supports(path))
            message = f"`{path}` has no effect on the back end {system.name}: {reason}"
            help_ = f"use one of the back ends {supporting}"
            yield warning(codes.UNSUPPORTED_BY_BACKEND, message, entry.key.span, help=help_)


def _is_idle(context: RuleContext) -> bool:
    """Return whether the job is a debug job without a program, which needs no launcher."""
    run = context.spec.run
    return context.spec.mode.name == "debug" and run.kind == "entrypoint" and not run.words
