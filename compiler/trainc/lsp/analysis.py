"""Analysis of one open document: the findings of `trainc check` with their fixes, and its jobs."""

from __future__ import annotations

import os
from collections.abc import Callable

from trainc.cluster.entries import Entries
from trainc.cluster.load import read_entry
from trainc.compiled import Compiled, Input
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, error
from trainc.driver import check_inputs
from trainc.fixes import with_fixes
from trainc.frontend import read_sources
from trainc.project.load import read_project
from trainc.project.projects import Projects
from trainc.project.targets import entry_file
from trainc.record import Record
from trainc.source.load import load
from trainc.source.node import Mapping, scalar_text
from trainc.span import Source, Span
from trainc.systems.registry import DEFAULT
from trainc.target import parse_target
from trainc.well_known import API_VERSION, CLUSTER_KIND, PROJECT_FILE, PROJECT_KIND, is_own_group

FindProjects = Callable[[str], Projects | None]  # of a file; raises Rejected for an invalid project file
_OF_OTHER_FILES = (codes.EMPTY_INPUT, codes.NO_LAUNCH_COMMAND)
_REPORT = "this is a bug; please report it with the file and the output of `trainc --debug check FILE`"


def _read_project(source: Source) -> None:
    """Read a project file with the entries of clusters that are in it. Raises Rejected with all errors."""
    project, entries = read_project(source), Entries()
    clusters = project.section("clusters")
    for name, entry in clusters.items() if clusters else ():
        if not entry_file(entry):
            entries.get(project, name)
    if entries.errors:
        raise Rejected(*entries.errors)


_READERS: dict[str, Callable[[Source], object]] = {PROJECT_KIND: _read_project, CLUSTER_KIND: read_entry}


class Analysis(Record):
    """Analysis of a text; no jobs after an error, and none of other systems."""

    text: str
    diagnostics: list[Diagnostic]
    jobs: list[Compiled] = []


def analyse(name: str, text: str, find_projects: FindProjects) -> Analysis:
    """Return the analysis of a text; an exception of the compiler is a diagnostic at its start."""
    try:
        return _analyse(name, text, find_projects)
    except Exception as problem:
        message = f"trainc failed: {type(problem).__name__}: {problem}"
        failure = error(codes.INTERNAL_ERROR, message, Span(Source(name, text), 1, 1, 1, 2), help=_REPORT)
        return Analysis(text=text, diagnostics=[failure])


def _analyse(name: str, text: str, find_projects: FindProjects) -> Analysis:
    """Analyse a text; a file that is no training job, as most YAML files are, has no diagnostics."""
    source = Source(name, text)
    reader = _reader(source)
    if reader is not None:
        return Analysis(text=text, diagnostics=_errors(reader, source))
    try:
        projects = find_projects(name)
    except Rejected as rejected:
        return Analysis(text=text, diagnostics=list(rejected.diagnostics) if _names_trainc(text) else [])
    inputs = read_sources([source], (), projects)
    if not any(map(_is_training, inputs)):
        return Analysis(text=text, diagnostics=[])
    target = parse_target(DEFAULT, None, None, None, [])
    outcome = check_inputs(inputs, target)
    if any(each.remedy for each in outcome.diagnostics):
        outcome = with_fixes(outcome, inputs, lambda edited: check_inputs(edited, target))
    diagnostics = [each for each in outcome.diagnostics if each.code not in _OF_OTHER_FILES]
    is_own = not any(item.foreign or item.script for item in inputs)
    return Analysis(text=text, diagnostics=diagnostics, jobs=outcome.jobs if is_own else [])


def _reader(source: Source) -> Callable[[Source], object] | None:
    """Return the reader of a project file or of the entry of a cluster, None for another file."""
    if os.path.basename(source.name) == PROJECT_FILE:
        return _read_project
    if not _names_trainc(source.text) or not any(kind in source.text for kind in _READERS):
        return None
    document = next(iter(load(source)[0]), None)
    if not isinstance(document, Mapping) or scalar_text(document.get("apiVersion")) != API_VERSION:
        return None
    return _READERS.get(scalar_text(document.get("kind")))


def _errors(read: Callable[[Source], object], source: Source) -> list[Diagnostic]:
    try:
        read(source)
    except Rejected as rejected:
        return list(rejected.diagnostics)
    return []


def _is_training(item: Input) -> bool:
    script = item.script is not None and item.script.job is not None
    return bool(item.specs or item.foreign or script) or _names_trainc(item.source.text)


def _names_trainc(text: str) -> bool:
    return "trainc.dev/" in text or "kind: TrainingJob" in text


def is_own_file(source: Source) -> bool:
    """Return whether a document of a text is trainc's. Labels of trainc and embedded jobs do not count."""
    if not _names_trainc(source.text):
        return False
    documents = (each for each in load(source)[0] if isinstance(each, Mapping))
    return any(is_own_group(scalar_text(each.get("apiVersion"))) for each in documents)
