"""All rules. A rule is a module of this package with a function `check(case)` that yields diagnostics."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks import (
    deepspeed_flags,
    elastic,
    env,
    labels,
    names,
    pod_template,
    quantities,
    rendezvous,
    unsupported,
    versions,
    volumes,
)
from trainc.checks.case import Case
from trainc.diagnostics.diagnostic import Diagnostic

RULES = (
    names,
    elastic,
    rendezvous,
    deepspeed_flags,
    env,
    labels,
    quantities,
    volumes,
    pod_template,
    unsupported,
    versions,
)


def run_checks(case: Case) -> Iterator[Diagnostic]:
    """What every rule finds."""
    for rule in RULES:
        yield from rule.check(case)
