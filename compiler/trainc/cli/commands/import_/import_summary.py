"""Summary of `trainc import`: every diagnostic, by section."""

from __future__ import annotations

from trainc.diagnostics import codes
from trainc.diagnostics.cells import visible
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.diagnostics.report import bounded

# Sections of the summary; the first two are printed if they are empty, too.
_CHANGED, _DROPPED, _CORRECTED, _UNDECIDED = "differences", "not carried over", "corrected", "to be decided"
_SECTIONS = {
    codes.IMPORT_CHANGED_FIELD: _CHANGED,
    codes.IMPORT_DROPPED_FIELD: _DROPPED,
    codes.ROLE_PODS_DIFFER: _DROPPED,
    codes.IMPORT_CORRECTED: _CORRECTED,
}
IMPORTS = frozenset(_SECTIONS) - {codes.ROLE_PODS_DIFFER}  # their section says what they are
ELSEWHERE = "on another system, "


def format_summary(lines: list[str], diagnostics: list[Diagnostic], elsewhere: list[Diagnostic]) -> str:
    """Return the summary: `lines`, and every diagnostic by section."""
    conditional = {id(each) for each in elsewhere}
    for section in (_CHANGED, _DROPPED, _CORRECTED, _UNDECIDED):
        listed = [each for each in diagnostics if _SECTIONS.get(each.code, _UNDECIDED) == section]
        if listed or section in (_CHANGED, _DROPPED):
            lines.append(f"{section}: {len(listed) or 'nothing'}")
        for each in bounded(listed):
            code = f"{each.severity}[{each.code.id}]: " if each.code not in IMPORTS else ""
            message = ELSEWHERE + each.message if id(each) in conditional else each.message
            lines.append(visible(f"  {each.span}: {code}{message}{f' ({each.help})' if each.help else ''}"))
    return "\n".join(lines) + "\n"
