"""Files in directories that hold no job: one line names them in place of an error each."""

from __future__ import annotations

import re
from collections import defaultdict

from trainc.cli.input_files import ListedFile
from trainc.cli.notices import notify
from trainc.compiled import Input, Outcome
from trainc.diagnostics import codes
from trainc.diagnostics.cells import visible
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.diagnostics.report import count_of
from trainc.launchers.registry import MENTIONS
from trainc.source.load import load
from trainc.source.node import Mapping, scalar_text
from trainc.span import Source
from trainc.systems.registry import READABLE
from trainc.well_known import GENERATOR, GROUP, KIND, PROJECT_KIND, TRANSFORMER

_KIND = re.compile(r"^kind:[ \t]*([A-Za-z]+)", re.MULTILINE)


def without_other_kinds(outcome: Outcome, files: list[str], may_lack_jobs: bool) -> Outcome:
    """Return the outcome without the errors of files that hold no job, and with the names of these files.

    Files that are named on the command line keep their errors; jobs in others of systems that trainc can't read get
    warnings. If no file has a job, that is the only error; but with `may_lack_jobs` it is none: the last job of a
    directory may have been deleted, and --jobs-only says that files may have none.
    """
    arguments = {name for name in files if not isinstance(name, ListedFile)}
    skipped = [name for name in _other_kinds(outcome.diagnostics) if name not in arguments]
    diagnostics = [each for each in outcome.diagnostics if each.span.source.name not in skipped]
    diagnostics = [each if each.span.source.name in arguments else _unread(each) for each in diagnostics]
    if skipped and len(skipped) == len({*files}) and not may_lack_jobs:
        diagnostics = [_no_job(outcome.diagnostics[0], len(skipped))]
        return outcome.replace(diagnostics=diagnostics)
    return outcome.replace(diagnostics=diagnostics, skipped=skipped)


def inputs_with_jobs(inputs: list[Input]) -> tuple[list[Input], list[str]]:
    """Return the inputs but for the files of directories that hold no job, and the names of these.

    Jobs in directories of systems that trainc can't read get warnings.
    """
    discovered = [item for item in inputs if isinstance(item.source.name, ListedFile)]
    skipped = [name for item in discovered for name in _other_kinds(item.diagnostics)]
    if skipped and len(skipped) == len(inputs):
        return [inputs[0].replace(diagnostics=[_no_job(inputs[0].diagnostics[0], len(skipped))])], []
    left = [item for item in inputs if item.source.name not in skipped]
    return [
        item.replace(diagnostics=list(map(_unread, item.diagnostics))) if item in discovered else item for item in left
    ], skipped


def print_no_files(names: list[str]) -> None:
    """Print the names of directories without files."""
    notify("no-job-files", f"no job files in {', '.join(map(visible, names))}", severity="note")


def _other_kinds(diagnostics: list[Diagnostic]) -> list[str]:
    """Return the names of the files whose diagnostics all say that they hold no job."""
    by_file = defaultdict[str, list[Diagnostic]](list)
    for diagnostic in diagnostics:
        by_file[diagnostic.span.source.name].append(diagnostic)
    return [name for name in by_file if all(map(is_no_job, by_file[name]))]


def _unread(diagnostic: Diagnostic) -> Diagnostic:
    """Return the error about a job of a system that trainc can't read as a warning: a directory may have such jobs."""
    is_unread = diagnostic.code is codes.IMPORT_UNSUPPORTED_SYSTEM
    return diagnostic.replace(severity="warning") if is_unread else diagnostic


def _no_job(first: Diagnostic, count: int) -> Diagnostic:
    message = f"no job found, only {count_of(count, 'file')} of other kinds"
    return error(codes.EMPTY_INPUT, message, first.span, help="run `trainc init` for a starter job")


def is_no_job(diagnostic: Diagnostic) -> bool:
    """Return whether an error is that of a file of another kind, not of a job with a misspelled one."""
    text = diagnostic.span.source.text
    if diagnostic.code is codes.UNRENDERED_TEMPLATE:
        kinds = {kind.lower() for kind in _KIND.findall(text)}
        may_train = any(name in text for name in MENTIONS)  # Kubernetes' own kinds do many other things
        known = {system.kind.lower() for system in READABLE if system.traits.operator or may_train}
        return bool(kinds) and kinds.isdisjoint({KIND.lower(), *known})
    if diagnostic.code is codes.NOT_A_TRAINING_JOB:
        is_misspelled = diagnostic.remedy is not None or (f"{GROUP}/" in text and _has_own_object(text))
        return diagnostic.expected == f"kind: {KIND}" and not is_misspelled
    return diagnostic.code is codes.EMPTY_INPUT


def _has_own_object(text: str) -> bool:
    """Return whether a document, not an object inside it, is one of trainc's other than a project or a KRM function."""
    documents = [each for each in load(Source("", text))[0] if isinstance(each, Mapping)]
    return any(
        scalar_text(each.get("apiVersion")).startswith(f"{GROUP}/")
        and scalar_text(each.get("kind")) not in (GENERATOR, TRANSFORMER, PROJECT_KIND)
        for each in documents
    )
