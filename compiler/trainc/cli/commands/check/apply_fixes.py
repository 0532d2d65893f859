"""Fixes of `trainc check`: applied to the files, or shown as a difference."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable

from trainc.cli.compilation import source_compiler
from trainc.cli.input_files import read_files
from trainc.cli.notices import notify
from trainc.cli.parameters import InvalidParameter
from trainc.cli.settings import Build, Values
from trainc.cli.streams import to_stderr, to_stdout
from trainc.cli.writer import write_files
from trainc.compiled import Outcome
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.diagnostics.remedy import Edit
from trainc.diagnostics.report import count_of
from trainc.record import Record
from trainc.schema.edits import apply_edits
from trainc.secrets.text import redact
from trainc.span import Source
from trainc.target import Target

_ROUNDS = 10  # a fix may uncover another fault
Compile = Callable[[list[Source], list[Diagnostic]], Outcome]
Select = Callable[[list[Diagnostic]], list[Diagnostic]]


class Fixed(Record):
    """Outcome after all fixes, the texts before and after them by file, and the number of fixes by file."""

    outcome: Outcome
    before: dict[str, str]
    after: dict[str, str]
    counts: dict[str, int]


def check_with_fixes(
    files: list[str], values: Values, target: Target, build: Build, selected: Select, *, show: bool, unsafe: bool
) -> Outcome | None:
    """Write the fixes of selected diagnostics, and return the outcome; with `show` print the edits, and return None.

    Raises InvalidParameter for standard input, which can't be changed.
    """
    if "-" in files and not show:
        raise InvalidParameter("standard input cannot be changed; use --diff", "--fix")

    def compile_sources(sources: list[Source], errors: list[Diagnostic]) -> Outcome:
        return source_compiler(sources, errors, values, build)(target)

    fixed = _fix(files, compile_sources, selected, unsafe=unsafe)
    if not show:
        _write(fixed)
    elif fixed.after:
        _print_difference(fixed, "--fix --unsafe-fixes" if unsafe else "--fix")
        return None
    return fixed.outcome


def _fix(files: list[str], compile_sources: Compile, selected: Select, *, unsafe: bool) -> Fixed:
    """Compile files, and fix their texts until nothing is left to fix."""
    sources, errors = read_files(files)
    before, counts = {source.name: source.text for source in sources}, Counter[str]()
    outcome = compile_sources(sources, errors)
    for _ in range(_ROUNDS):
        edits, fixed = _edits(selected(outcome.diagnostics), unsafe)
        if not edits:
            break
        counts += fixed
        sources = [
            Source(source.name, apply_edits(source, edits[source.name])) if source.name in edits else source
            for source in sources
        ]
        outcome = compile_sources(sources, errors)
    after = {source.name: source.text for source in sources if source.text != before[source.name]}
    return Fixed(outcome=outcome, before=before, after=after, counts=counts)


def _write(fixed: Fixed) -> None:
    """Write each changed file, whole or not at all. Raises InvalidParameter for one that changed meanwhile."""
    for name, text in fixed.after.items():
        with open(name, "rb") as file:
            data = file.read()
        mark = "\ufeff" if data.startswith(b"\xef\xbb\xbf") else ""
        if data != (mark + fixed.before[name]).encode():
            raise InvalidParameter(f"{name} has changed since it was read", "--fix")
        write_files({name: mark + text})
    if fixed.after:
        notify("fixes-applied", f"fixed {_summary(fixed)}", severity="note")


def _print_difference(fixed: Fixed, options: str) -> None:
    """Print the fixes of these options as a unified difference without secrets."""
    for name, text in fixed.after.items():
        old, new = (redact(each).splitlines(keepends=True) for each in (fixed.before[name], text))
        lines = [
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in difflib.unified_diff(old, new, name, name)
        ]
        to_stdout("".join(lines))
    to_stderr(f"{options} would fix {_summary(fixed)}\n")


def _summary(fixed: Fixed) -> str:
    files = f" in {len(fixed.after):,} files" if len(fixed.after) > 1 else ""
    return count_of(sum(fixed.counts.values()), "problem") + files


def _edits(diagnostics: list[Diagnostic], unsafe: bool) -> tuple[dict[str, list[Edit]], Counter[str]]:
    """Return the edits of all fixes that don't touch the same lines, and the number of fixes, by file."""
    edits: dict[str, list[Edit]] = {}
    taken: set[tuple[str, int]] = set()
    counts = Counter[str]()
    for diagnostic in diagnostics:
        fix = diagnostic.fix
        if fix is None or not (fix.is_safe or unsafe):
            continue
        name = diagnostic.span.source.name
        lines = {(name, line) for edit in fix.edits for line in range(edit.span.line, edit.span.end_line + 1)}
        if taken.isdisjoint(lines):
            taken |= lines
            edits.setdefault(name, []).extend(fix.edits)
            counts[name] += 1
    return edits, counts
