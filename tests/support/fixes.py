"""Fixes of the jobs in bad/ and own_system/, as `trainc check` offers them for the target that a job expects."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tests.support.corpus import OWN_SYSTEM, read_expectation
from trainc.compiled import Input, Outcome
from trainc.diagnostics.diagnostic import Diagnostic, Rejected
from trainc.driver import check_inputs, compile_inputs
from trainc.fixes import with_fixes
from trainc.frontend import read_sources
from trainc.source.load import decode
from trainc.span import Source


@cache
def offered(file: Path) -> tuple[Source, list[Diagnostic]]:
    """Return a job's source and its diagnostics with their fixes."""
    try:
        source = decode(file.name, file.read_bytes())
    except Rejected as rejected:
        return Source(file.name, ""), list(rejected.diagnostics)
    return source, diagnose_with_fixes(source, file)


def diagnose_with_fixes(source: Source, file: Path) -> list[Diagnostic]:
    """Return the diagnostics of a text, with fixes, for the target of a file."""
    target = read_expectation(file).target

    def build(inputs: list[Input]) -> Outcome:
        return (check_inputs if file in OWN_SYSTEM else compile_inputs)(inputs, target)

    inputs = read_sources([source])
    return with_fixes(build(inputs), inputs, build).diagnostics
