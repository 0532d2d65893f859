"""Fields that the back end does not support."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, warning
from trainc.source.node import Mapping, Node, Sequence
from trainc.spec.section import inside
from trainc.systems.registry import NAMES, traits

TRIGGERS = ("always()",)


def check(context: RuleContext) -> Diagnostics:
    """Check the job against the back end's list of unsupported fields, and the launcher against its operator."""
    refused = list(_launcher(context))
    if refused:
        yield from refused
        return
    for path, reason in context.system.unsupported.items():
        *sections, name = path.split(".")[1:]
        here: object = context.spec.node
        for section in sections:
            here = here.get(section) if isinstance(here, Mapping) else None
        if isinstance(here, Mapping) and _is_set(here.get(name)):
            able = [other for other in NAMES if traits(other).supports(path)]
            message = f"`{path}` has no effect on the back end {context.system.name}: {reason}"
            help_ = f"use one of the back ends {', '.join(able)}"
            yield warning(codes.UNSUPPORTED_BY_BACKEND, message, here.entries[name].key.span, help=help_)


def _launcher(context: RuleContext) -> Diagnostics:
    """A debug job without a program needs no launcher."""
    spec = context.spec
    if not context.system.starts_launcher or context.job.launcher_command is not None:
        return
    if spec.mode.name == "debug" and spec.run.kind == "entrypoint" and not spec.run.words:
        return
    able = [other for other in NAMES if not traits(other).starts_launcher]
    message = f"{context.system.a_kind} supports only the launcher deepspeed, not {context.job.launch.launcher.name}"
    where = next(iter(inside(spec.node, "launch").entries.values())).key.span
    yield error(codes.LAUNCHER_UNSUPPORTED, message, where, help=f"use one of the back ends {', '.join(able)}")


def _is_set(value: Node | None) -> bool:
    return value is not None and not (isinstance(value, Sequence) and not value.items)
