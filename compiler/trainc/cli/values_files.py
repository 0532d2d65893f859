"""`--values FILE` and `--set`: changes of all jobs of a command."""

from __future__ import annotations

from trainc.cli.input_files import read_files
from trainc.diagnostics.diagnostic import Diagnostic, Rejected
from trainc.schema.overrides import parse_overrides
from trainc.schema.values import ValuesFile
from trainc.source.node import Change


def read_changes(files: list[str], sets: list[str]) -> list[Change]:
    """Return the changes of files of values, then those of --set. Raises Rejected with all errors of both."""
    changes: list[Change] = []
    sources, errors = read_files(files) if files else ([], [])
    problems: list[Diagnostic] = list(errors)
    for source in sources:
        try:
            changes.append(ValuesFile(source))
        except Rejected as rejected:
            problems += rejected.diagnostics
    try:
        changes += parse_overrides(sets)
    except Rejected as rejected:
        problems += rejected.diagnostics
    if problems:
        raise Rejected(*problems)
    return changes
