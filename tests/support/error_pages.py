"""Compile the examples of the error pages."""

from __future__ import annotations

from tests.support.corpus import parse_target, read_policy_text
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.driver import check_inputs, run
from trainc.frontend import read_sources
from trainc.pages import Example
from trainc.span import Source


def diagnose_example(example: Example, project: str = "") -> list[Diagnostic]:
    """Return the diagnostics of a page's job, named job.yaml, with the policy of a project file."""
    source = Source("job.yaml", example.text)
    command, *options = example.command
    target = parse_target(options).replace(policy=read_policy_text(project) if project else None)
    if command == "check":  # in the job's own system
        return check_inputs(read_sources([source]), target).diagnostics
    outcome = run([source], target)
    for job in outcome.jobs:
        job.manifests()
    return outcome.diagnostics
