"""What the chosen back end can't express: the field, why, and which back ends can."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.source.node import Mapping, Node, Sequence
from trainc.spec.section import inside
from trainc.systems.registry import NAMES, traits

TRIGGERS = ("always()",)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Every field of the job that is in the back end's own list, and a launcher that its operator can't start."""
    refused = list(_launcher(context))
    if refused:
        yield from refused
        return
    for path, reason in context.system.unsupported.items():
        *sections, name = path.split(".")[1:]
        here: object = context.spec.node
        for section in sections:
            here = here.get(section) if isinstance(here, Mapping) else None
        if isinstance(here, Mapping) and _says_something(here.get(name)):
            able = [other for other in NAMES if traits(other).supports(path)]
            message = f"`{path}` has no effect on the back end {context.system.name}: {reason}"
            help_ = f"back ends that can: {', '.join(able)}"
            yield warning(codes.UNSUPPORTED_BY_BACKEND, message, here.entries[name].key.span, help=help_)


def _launcher(context: RuleContext) -> Iterator[Diagnostic]:
    """A job that waits for somebody, and names no program, needs no launcher yet."""
    spec = context.spec
    if not context.system.starts_launcher or "deepspeed" in inside(spec.node, "launch").entries:
        return
    if spec.mode.name == "debug" and spec.run.kind == "entrypoint" and not spec.run.words:
        return
    able = [other for other in NAMES if not traits(other).starts_launcher]
    message = f"{context.system.a_kind} starts its processes by deepspeed, and not by {context.job.launcher}"
    where = next(iter(inside(spec.node, "launch").entries.values())).key.span
    yield error(codes.LAUNCHER_UNSUPPORTED, message, where, help=f"back ends that can: {', '.join(able)}")


def _says_something(value: Node | None) -> bool:
    return value is not None and not (isinstance(value, Sequence) and not value.items)
