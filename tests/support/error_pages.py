"""Compile the examples of the error pages."""

from __future__ import annotations

from tests.support.clusters import on_cluster
from tests.support.corpus import parse_target
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.driver import check_inputs, run
from trainc.frontend import read_sources
from trainc.pages import Example
from trainc.span import Source


def diagnose_example(example: Example) -> list[Diagnostic]:
    """Return the diagnostics of a page's job, named job.yaml."""
    source = Source("job.yaml", example.text)
    command, *options = example.command
    if command == "check":  # in the job's own system
        inputs = read_sources([source])
        return on_cluster(check_inputs(inputs, parse_target(options)), inputs, options).diagnostics
    outcome = run([source], parse_target(options))
    for job in outcome.jobs:
        job.manifests()
    return outcome.diagnostics
