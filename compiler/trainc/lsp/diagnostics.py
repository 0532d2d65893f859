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


def to_protocol(diagnostic: Diagnostic, uri: str, name: str, positions: Positions) -> types.Diagnostic:
    """Return a diagnostic of the protocol; one of another file, such as the project file, is at the top and names its
    position."""
    here = diagnostic.span.source.name == name
    place = "" if here else f"{diagnostic.span}: "
    help_ = f"\nhelp: {diagnostic.help}" if diagnostic.help else ""
    related = [
        types.DiagnosticRelatedInformation(
            location=types.Location(uri=uri, range=positions.range(each.span)), message=each.message
        )
        for each in diagnostic.related
        if each.span.source.name == name
    ]
    return types.Diagnostic(
        range=positions.range(diagnostic.span) if here else _TOP,
        message=f"{place}{diagnostic.message}{help_}",
        severity=_SEVERITIES[diagnostic.severity],
        code=diagnostic.code.id,
        code_description=types.CodeDescription(href=diagnostic.code.url) if diagnostic.code.url else None,
        source="trainc",
        related_information=related or None,
    )


def actions(
    diagnostics: list[Diagnostic], uri: str, name: str, positions: Positions, wanted: types.Range
) -> list[types.CodeAction]:
    """Return the fixes of the diagnostics in a range; a safe one is preferred."""
    code_actions = []
    for each in diagnostics:
        if each.fix is None or each.span.source.name != name or not overlap(positions.range(each.span), wanted):
            continue
        action = types.CodeAction(
            title=each.help or f"fix: {each.message}",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[to_protocol(each, uri, name, positions)],
            is_preferred=each.fix.is_safe,
            edit=types.WorkspaceEdit(changes={uri: positions.edits(each.fix.edits)}),
        )
        code_actions.append(action)
    return code_actions
