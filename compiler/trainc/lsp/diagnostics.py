"""Diagnostics and fixes in the protocol's types."""

from __future__ import annotations

from lsprotocol import types

from trainc.diagnostics.diagnostic import Diagnostic
from trainc.lsp.positions import Positions, overlap

_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}
_TOP = types.Range(start=types.Position(line=0, character=0), end=types.Position(line=0, character=1))


def diagnostic(found: Diagnostic, uri: str, name: str, positions: Positions) -> types.Diagnostic:
    """Return a diagnostic; one of another file, such as the project file, is at the top and names its place."""
    here = found.span.source.name == name
    place = "" if here else f"{found.span}: "
    help_ = f"\nhelp: {found.help}" if found.help else ""
    related = [
        types.DiagnosticRelatedInformation(
            location=types.Location(uri=uri, range=positions.range(each.span)), message=each.message
        )
        for each in found.related
        if each.span.source.name == name
    ]
    return types.Diagnostic(
        range=positions.range(found.span) if here else _TOP,
        message=f"{place}{found.message}{help_}",
        severity=_SEVERITIES[found.severity],
        code=found.code.id,
        code_description=types.CodeDescription(href=found.code.url) if found.code.url else None,
        source="trainc",
        related_information=related or None,
    )


def actions(
    found: list[Diagnostic], uri: str, name: str, positions: Positions, wanted: types.Range
) -> list[types.CodeAction]:
    """Return the fixes of the diagnostics in a range; a safe one is preferred."""
    result = []
    for each in found:
        if each.fix is None or each.span.source.name != name or not overlap(positions.range(each.span), wanted):
            continue
        edits = [types.TextEdit(range=positions.range(edit.span), new_text=edit.text) for edit in each.fix.edits]
        action = types.CodeAction(
            title=each.help or f"fix: {each.message}",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[diagnostic(each, uri, name, positions)],
            is_preferred=each.fix.is_safe,
            edit=types.WorkspaceEdit(changes={uri: edits}),
        )
        result.append(action)
    return result
