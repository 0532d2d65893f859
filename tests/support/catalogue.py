"""Compiles the jobs that the catalogue's pages show."""

from __future__ import annotations

from tests.support.corpus import named
from trainc.catalogue.page import Example
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.driver import run
from trainc.span import Source


def compiled(example: Example) -> list[Diagnostic]:
    """What trainc says of a page's job, under the name job.yaml."""
    outcome = run([Source("job.yaml", example.text)], named(example.options))
    for job in outcome.jobs:
        job.manifests()
    return outcome.diagnostics
