"""Format `json`: a list with an object for each diagnostic."""

from __future__ import annotations

import json
from typing import Any

from trainc.diagnostics.diagnostic import Diagnostic
from trainc.diagnostics.formats.strings import public_fix, replace_surrogates
from trainc.diagnostics.remedy import Fix
from trainc.diagnostics.report import Report
from trainc.span import Span

_KEYS = (
    *("code", "name", "severity", "message", "filename", "location", "end_location", "expected", "help", "related"),
    *("fix", "url", "cluster"),
)


def render(report: Report) -> str:
    """Return the list in ASCII. Rows and columns count from 1, columns in code points; an end is exclusive."""
    document = Document()
    document.add_diagnostics(report.printed)
    return document.text()


class Document:
    """Messages as plain values, which schemas/messages.json describes."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    def text(self) -> str:
        """Return the list in ASCII."""
        return json.dumps(self.messages, indent=2) + "\n"

    def add_diagnostics(self, diagnostics: list[Diagnostic]) -> None:
        """Add a message for each diagnostic."""
        self.messages += map(_object, diagnostics)

    def add_message(self, name: str, message: str, severity: str, file: str, code: str, help: str) -> None:
        """Add a message that is no diagnostic of a line, with the same keys."""
        message, file, help = map(replace_surrogates, (message, file, help))
        values = {"code": code, "name": name, "severity": severity, "message": message, "filename": file, "help": help}
        self.messages.append({key: [] if key == "related" else values.get(key) or None for key in _KEYS})


def _object(diagnostic: Diagnostic) -> dict[str, Any]:
    return {
        "code": diagnostic.code.id,
        "name": diagnostic.code.name,
        "severity": diagnostic.severity,
        "message": replace_surrogates(diagnostic.message),
        **_place(diagnostic.span),
        "expected": diagnostic.expected and replace_surrogates(diagnostic.expected),
        "help": diagnostic.help and replace_surrogates(diagnostic.help),
        "related": [
            {"message": replace_surrogates(related.message), **_place(related.span)} for related in diagnostic.related
        ],
        "fix": _fix(public_fix(diagnostic)),
        "url": diagnostic.code.url or None,
        "cluster": diagnostic.cluster and replace_surrogates(diagnostic.cluster),
    }


def _fix(fix: Fix | None) -> dict[str, Any] | None:
    if fix is None:
        return None
    edits = [{**_range(edit.span), "content": replace_surrogates(edit.text)} for edit in fix.edits]
    return {"applicability": "safe" if fix.is_safe else "unsafe", "edits": edits}


def _place(span: Span) -> dict[str, Any]:
    return {
        "filename": replace_surrogates(span.source.name),
        **_range(span),
    }


def _range(span: Span) -> dict[str, Any]:
    return {
        "location": {"row": span.line, "column": span.column},
        "end_location": {"row": span.end_line, "column": span.end_column},
    }
