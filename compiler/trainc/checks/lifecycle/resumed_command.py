"""Commands of a resumed job that take effect only where an operator starts the launcher."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, no_effect
from trainc.spec.section import inside, only_key
from trainc.systems.registry import NAMES, traits

TRIGGERS = ("mode",)


def check(context: RuleContext) -> Diagnostics:
    entry = context.spec.mode.node.entries.get("command")
    if entry is None or context.spec.paused_spec is None or context.system.has_run_modes:
        return
    key = only_key(inside(context.spec.node, "mode"))
    supporting = " or ".join(f"`--backend {name}`" for name in NAMES if traits(name).has_run_modes)
    reason = "the container's command starts the program"
    help_ = f"set `run` instead, or use {supporting}"
    yield no_effect(context, f"spec.mode.{key}.command", reason, help_, entry.key.span)
