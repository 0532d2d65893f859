"""Compile the examples of the error pages."""

from __future__ import annotations

from tests.support.clusters import on_cluster
from tests.support.corpus import parse_project, parse_target
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.driver import check_inputs, compile_inputs
from trainc.frontend import read_sources
from trainc.pages import Example
from trainc.span import Source


def diagnose_example(example: Example, project: str = "") -> list[Diagnostic]:
    """Return the diagnostics of a page's job, named job.yaml, with the policy of a project file."""
    source = Source("job.yaml", example.text)
    command, *options = example.command
    target, projects = parse_target(options), parse_project(project, source.name) if project else None
    inputs = read_sources([source], projects=projects)
    if command == "check":  # in the job's own system
        return on_cluster(check_inputs(inputs, target), inputs, options).diagnostics
    outcome = compile_inputs(inputs, target)
    for job in outcome.jobs:
        job.manifests()
    return outcome.diagnostics
