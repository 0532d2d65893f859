"""Names that rules import: their context, diagnostics and the codes."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error, note, warning

__all__ = ["Diagnostic", "Diagnostics", "Related", "RuleContext", "codes", "error", "note", "warning"]

Diagnostics = Iterator[Diagnostic]
