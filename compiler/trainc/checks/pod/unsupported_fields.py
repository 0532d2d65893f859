"""Fields and launchers that the back end does not support."""

from __future__ import annotations

from functools import reduce
from operator import methodcaller

from trainc.checks.rule import Diagnostics, Help, RuleContext, codes, error, no_effect, use_backend
from trainc.source.node import Sequence
from trainc.spec.section import inside

TRIGGERS = ("always()",)


def check(context: RuleContext) -> Diagnostics:
    yield from _launcher_and_fields(context)
    yield from _success_policy(context)


def _launcher_and_fields(context: RuleContext) -> Diagnostics:
    """Check the launcher against the system's operator, else the job against the system's unsupported fields."""
    spec, system = context.spec, context.system
    # A debug job without a program needs no launcher but one that the controller starts in each pod.
    is_idle = (
        bool(system.hostfile) and spec.mode.name == "debug" and spec.run.kind == "entrypoint" and not spec.run.words
    )
    is_other = context.job.launcher_command is None or context.job.launch.launcher.name != system.launcher
    if system.starts_launcher and is_other and not is_idle:
        message = (
            f"{system.a_kind} supports only the launcher {system.launcher}, not {context.job.launch.launcher.name}"
        )
        runs_on_launcher_pod = context.job.launch.launcher.runs_on_launcher_pod
        help_: Help = use_backend(
            lambda other: not other.starts_launcher and (runs_on_launcher_pod or not other.has_launcher_pod)
        )
        yield error(codes.LAUNCHER_UNSUPPORTED, message, context.launch_key, help=help_)
        return
    for path, reason in system.unsupported_fields.items():
        *sections, name = path.split(".")[1:]
        if sections and sections[0] not in spec.node.entries:
            continue
        entry = reduce(inside, sections, spec.node).entries.get(name)
        if entry and (not isinstance(entry.value, Sequence) or entry.value.items):
            help_ = ("remove it", use_backend(methodcaller("supports", path)))
            yield no_effect(context, path, reason, help_, entry.key.span, removable=True)


def _success_policy(context: RuleContext) -> Diagnostics:
    """Report `All` where the launcher decides: that of a launcher pod, or worker 0's."""
    system = context.system
    if context.spec.lifecycle.success_policy == "All" and (system.has_launcher_pod or system.starts_launcher):
        reason = "the job succeeds when its launcher does"
        yield no_effect(context, "spec.lifecycle.successPolicy", reason, "remove it", removable=True)
