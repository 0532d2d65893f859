"""Files in directories that hold no job: `check DIR` names them in one line in place of an error each."""

from __future__ import annotations

import re
from collections import defaultdict

from trainc.cli.directories import Found
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.diagnostics.report import count_of
from trainc.driver import Outcome
from trainc.spec.document import KIND
from trainc.systems.registry import READABLE_KINDS
from trainc.well_known import GROUP

_SHOWN = 3  # file names
_KIND = re.compile(r"^kind:[ \t]*([A-Za-z]+)", re.MULTILINE)


def without_other_kinds(outcome: Outcome, files: list[str]) -> tuple[Outcome, str]:
    """Return the outcome without the errors of files that hold no job, and the line that names these files.

    Files that are named on the command line keep their errors. If no file has a job, that is the error.
    """
    by_file = defaultdict[str, list[Diagnostic]](list)
    for diagnostic in outcome.diagnostics:
        by_file[diagnostic.span.source.name].append(diagnostic)
    named = {name for name in files if not isinstance(name, Found)}
    skipped = [name for name in by_file if name not in named and all(map(_is_no_job, by_file[name]))]
    if not skipped:
        return outcome, ""
    kept = [each for each in outcome.diagnostics if each.span.source.name not in skipped]
    if len(skipped) == len({*files}):
        first, number = by_file[skipped[0]][0], count_of(len(skipped), "file")
        help_ = "run `trainc init` for a starter job"
        message = f"no job found, only {number} of other kinds"
        kept = [error(codes.EMPTY_INPUT, message, first.span, help=help_)]
        return outcome.replace(diagnostics=kept), ""
    more = f" and {len(skipped) - _SHOWN} more" if len(skipped) > _SHOWN else ""
    line = f"skipped {count_of(len(skipped), 'file')} without a job: {', '.join(skipped[:_SHOWN])}{more}\n"
    return outcome.replace(diagnostics=kept), line


def _is_no_job(diagnostic: Diagnostic) -> bool:
    """Return whether an error is that of a file of another kind, not of a job with a misspelled one."""
    text = diagnostic.span.source.text
    if diagnostic.code is codes.UNRENDERED_TEMPLATE:
        kinds = {kind.lower() for kind in _KIND.findall(text)}
        return bool(kinds) and kinds.isdisjoint(kind.lower() for kind in (KIND, *READABLE_KINDS))
    if diagnostic.code is codes.NOT_A_TRAINING_JOB:
        is_misspelled = "did you mean" in (diagnostic.help or "") or f"{GROUP}/" in text
        return diagnostic.expected == f"kind: {KIND}" and not is_misspelled
    return diagnostic.code is codes.EMPTY_INPUT
