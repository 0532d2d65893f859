"""Compile the examples of the error pages."""

from __future__ import annotations

from tests.support.corpus import parse_target
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.driver import run
from trainc.pages import Example
from trainc.span import Source


def diagnose_example(example: Example) -> list[Diagnostic]:
    """Return the diagnostics of a page's job, named job.yaml."""
    outcome = run([Source("job.yaml", example.text)], parse_target(example.options))
    for job in outcome.jobs:
        job.manifests()
    return outcome.diagnostics
