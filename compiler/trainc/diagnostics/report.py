"""Report of a run, with a bounded number of diagnostics, and its output formats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from importlib import import_module

from trainc.diagnostics import codes
from trainc.diagnostics.codes import Code
from trainc.diagnostics.diagnostic import Diagnostic, Severity, note
from trainc.record import Record

LIMIT = 200  # for people: more scroll past unread
_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
# GitHub shows at most 5,000 results of a SARIF file:
# https://docs.github.com/en/code-security/reference/code-scanning/sarif-files/sarif-support
DOCUMENT_LIMIT = 5000
_LIMITS = dict.fromkeys(("json", "sarif", "junit"), DOCUMENT_LIMIT)


def title_of(code: Code) -> tuple[str, str]:
    """Return the title of a code without a page, and no text."""
    return code.name.replace("-", " "), ""


class Report(Record):
    """Diagnostics in order, names of the files, and the consequence of an error for the output.

    With `strict`, a warning has the same consequence. Only some formats use the `page` of a code: title and Markdown.
    `printed` are the diagnostics within the limit of the format.
    """

    diagnostics: list[Diagnostic]
    printed: list[Diagnostic] = []
    files: list[str]
    consequence: str = ""
    strict: bool = False
    color: bool = False
    page: Callable[[Code], tuple[str, str]] = title_of

    def text(self, form: str) -> str:
        """Return the report in the format of a module of formats/, with a final line break."""
        module = import_module(f"trainc.diagnostics.formats.{form}")
        text: str = module.render(self.replace(printed=bounded(self.diagnostics, _LIMITS.get(form, LIMIT))))
        return text


def bounded(diagnostics: list[Diagnostic], limit: int = LIMIT) -> list[Diagnostic]:
    """Return the first diagnostics, errors before warnings and notes, and a note that counts the rest."""
    if len(diagnostics) <= limit:
        return diagnostics
    by_severity = sorted(range(len(diagnostics)), key=lambda index: _SEVERITIES.index(diagnostics[index].severity))
    omitted = [diagnostics[index] for index in by_severity[limit:]]
    counts = Counter(diagnostic.severity for diagnostic in omitted)
    parts = [count_of(counts[severity], f"more {severity}") for severity in _SEVERITIES if counts[severity]]
    message = f"not printed: {', '.join(parts)} (the limit is {limit:,})"
    rest = note(codes.TOO_MANY_DIAGNOSTICS, message, omitted[0].span, help="fix the others first")
    return [*(diagnostics[index] for index in sorted(by_severity[:limit])), rest]


def closing_lines(report: Report) -> str:
    """Return a line with the numbers of diagnostics and files and the consequence of errors, and one for the fixes."""
    counts = Counter(diagnostic.severity for diagnostic in report.diagnostics)
    parts = [count_of(counts[severity], severity) for severity in _SEVERITIES if counts[severity]]
    if not parts:
        return ""
    files = len({diagnostic.span.source.name for diagnostic in report.diagnostics})
    strict = " (errors with --strict)" if report.strict and counts["warning"] else ""
    failed = report.consequence if counts["error"] or strict else ""
    counted = f"{', '.join(parts)}{f' in {files:,} files' if files > 1 else ''}{strict}{failed}\n"
    fixes = [diagnostic.fix for diagnostic in report.diagnostics if diagnostic.fix is not None]
    return counted + _fixable(len(fixes), sum(fix.is_safe for fix in fixes))


def _fixable(number: int, safe: int) -> str:
    """Return a line with the commands that fix some of the problems."""
    if safe == 0:
        return f"{number:,} fixable by `trainc check --fix --unsafe-fixes`\n" if number else ""
    more = f", {number - safe:,} more with --unsafe-fixes" if number > safe else ""
    return f"{safe:,} fixable by `trainc check --fix`{more}\n"


def count_of(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is one."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
