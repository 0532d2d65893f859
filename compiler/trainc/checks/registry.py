"""All rules, and what in a job wakes each.

A rule is a module of this package with a function `check(case)` that yields diagnostics. One that only has
something to say about a field is named with it, and is not even imported for a job that lacks the field.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from trainc.checks.case import Case
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.source.node import Mapping, Node

ALWAYS = ""
RULES = {
    "names": ALWAYS,
    "elastic": "elastic",
    "rendezvous": "launch.torchrun",
    "torch_version": "launch.torchrun.torchVersion",
    "grace": "launch.torchrun.shutdownTimeout",
    "grace_unused": "lifecycle.terminationGracePeriodSeconds",
    "signals": "launch.torchrun.signals",
    "deepspeed_flags": "launch.deepspeed",
    "deepspeed_transport": "launch.deepspeed",
    "deepspeed_ssh": "launch.deepspeed.transport",
    "deepspeed_autotune": "launch.deepspeed.autotune",
    "deepspeed_version": "launch.deepspeed.deepspeedVersion",
    "env": ALWAYS,
    "labels": ALWAYS,
    "quantities": "resources",
    "volumes": "volumes",
    "share_file": "shareFile",
    "mode": "mode",
    "pod_template": "podTemplate",
    "unsupported": ALWAYS,
    "exit_codes": "lifecycle.exitCodes",
    "per_index": "lifecycle.backoffLimitPerIndex",
    "versions": ALWAYS,
    "queue": "scheduling.queue",
    "network": "network",
    "gang": "scheduling.gang",
    "spot": "scheduling.spot",
    "topology": "scheduling.topologyKey",
}


def run_checks(case: Case) -> Iterator[Diagnostic]:
    """What every rule that is awake finds."""
    for name, field in RULES.items():
        if _gives(case.spec.node, field):
            yield from import_module(f"trainc.checks.{name}").check(case)


def _gives(spec: Mapping, field: str) -> bool:
    here: Node | None = spec
    for step in field.split(".") if field else ():
        here = here.get(step) if isinstance(here, Mapping) else None
    return here is not None
