"""Suppress warnings and notes: by a comment in the job file, or by --select and --ignore.

Errors cannot be suppressed: the job cannot work.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.codes import Code
from trainc.diagnostics.diagnostic import Diagnostic, warning
from trainc.span import Source, Span

COMMENT = "trainc: ignore"
_COMMENT = re.compile(r"# trainc: ignore\b(?P<codes>.*)")
_FAMILY = re.compile(r"TC\d{0,4}")
_PLUGIN_CODE = re.compile(r"(?!TC)[A-Z]{2,}\d+")  # of checks of other distributions


def without_ignored(diagnostics: Iterable[Diagnostic], sources: Iterable[Source]) -> Iterator[Diagnostic]:
    """Yield the diagnostics that no `# trainc: ignore CODE` suppresses, on the line or above it, and bad comments."""
    for source in sources:
        if COMMENT in source.text:
            yield from _invalid_comments(source)
    for diagnostic in diagnostics:
        if diagnostic.severity == "error" or not matches_code(diagnostic.code, _ignored_at(diagnostic.span)):
            yield diagnostic


def select_codes(diagnostics: Iterable[Diagnostic], select: list[str], ignore: list[str]) -> list[Diagnostic]:
    """Return errors, and warnings and notes that are selected (all by default) and not ignored."""
    return [
        diagnostic
        for diagnostic in diagnostics
        if diagnostic.severity == "error"
        or ((not select or matches_code(diagnostic.code, select)) and not matches_code(diagnostic.code, ignore))
    ]


def unknown_codes(words: Iterable[str]) -> list[str]:
    """Return the values that are neither a code, nor a prefix or the name of one."""
    known = [code for code in vars(codes).values() if isinstance(code, Code)]
    words = [word for word in words if not _PLUGIN_CODE.fullmatch(word.upper())]
    return [word for word in words if not any(matches_code(code, [word]) for code in known)]


def matches_code(code: Code, words: Iterable[str]) -> bool:
    """Return whether a word is a code, its name or a prefix of it."""
    return any(
        word.lower() == code.name
        or word.upper() == code.id
        or (_FAMILY.fullmatch(word.upper()) and code.id.startswith(word.upper()))
        for word in words
    )


def _ignored_at(span: Span) -> list[str]:
    words = _words(span.source.line(span.line))
    above = span.line - 1
    while above and span.source.line(above).lstrip().startswith("#"):
        words += _words(span.source.line(above))
        above -= 1
    return words


def _words(line: str) -> list[str]:
    match = _COMMENT.search(line)
    return re.split(r"[\s,]+", match["codes"].strip()) if match else []


def _invalid_comments(source: Source) -> Iterator[Diagnostic]:
    for number, line in enumerate(source.lines(), 1):
        match = _COMMENT.search(line)
        if match is None:
            continue
        span = Span(source, number, match.start() + 1, number, match.end() + 1)
        words = unknown_codes(_words(line))
        if words:
            quoted = ", ".join(f"`{word}`" for word in words[:3]) + (", …" if len(words) > 3 else "")
            message = f"unknown code {quoted}" if words[0] else "the ignore comment names no code"
            help_ = "write only codes, like `# trainc: ignore TC3019`, and the reason in a comment line above"
            yield warning(codes.INVALID_IGNORE_COMMENT, message, span, help=help_)
