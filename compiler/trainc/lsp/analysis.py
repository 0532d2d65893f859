"""Findings of one open document: those of `trainc check`, with their fixes."""

from __future__ import annotations

from collections.abc import Callable

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Rejected
from trainc.driver import check_inputs
from trainc.fixes import with_fixes
from trainc.frontend import Input, read_sources
from trainc.project.projects import Projects
from trainc.span import Source
from trainc.systems.registry import DEFAULT
from trainc.target import parse_target

FindProjects = Callable[[str], Projects | None]  # of a file; raises Rejected for an invalid project file
_OF_OTHER_FILES = (codes.EMPTY_INPUT, codes.NO_LAUNCH_COMMAND)


def analyse(name: str, text: str, find_projects: FindProjects) -> list[Diagnostic]:
    """Return the diagnostics of a text; none of a file that is no training job, as most YAML files are."""
    try:
        projects = find_projects(name)
    except Rejected as rejected:
        return list(rejected.diagnostics) if _names_trainc(text) else []
    inputs = read_sources([Source(name, text)], (), projects)
    if not any(map(_is_training, inputs)):
        return []
    target = parse_target(DEFAULT, None, None, None, [])
    outcome = check_inputs(inputs, target)
    if any(each.remedy for each in outcome.diagnostics):
        outcome = with_fixes(outcome, inputs, lambda edited: check_inputs(edited, target))
    return [each for each in outcome.diagnostics if each.code not in _OF_OTHER_FILES]


def _is_training(item: Input) -> bool:
    script = item.script is not None and item.script.job is not None
    return bool(item.specs or item.foreign or script) or _names_trainc(item.source.text)


def _names_trainc(text: str) -> bool:
    return "trainc.dev/" in text or "kind: TrainingJob" in text
