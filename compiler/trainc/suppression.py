"""Suppression of diagnostics by comments and project files, with the last steps before they are reported."""

from __future__ import annotations

from trainc.diagnostics.diagnostic import Diagnostic
from trainc.diagnostics.silence import without_ignored
from trainc.diagnostics.variants import merge_variants
from trainc.secrets.mask import redact_excerpts
from trainc.span import Source
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.project.projects import Projects


def without_suppressed(
    diagnostics: list[Diagnostic], sources: list[Source], commented: list[Source], projects: Projects | None
) -> list[Diagnostic]:
    """Return the diagnostics that neither a comment nor a project file suppresses; if any is left, redact the sources.

    A diagnostic that several jobs of a matrix share is returned once. `commented` are the sources and project files
    whose comments may suppress diagnostics.
    """
    diagnostics = merge_variants(diagnostics)
    if commented:
        if projects is not None:
            projects.record_ignores(diagnostics)
        diagnostics = list(without_ignored(diagnostics, commented))
    if projects is not None:
        diagnostics = projects.without_ignored(diagnostics)
    if diagnostics:  # their excerpts go to logs
        for source in sources:
            redact_excerpts(source)
        if projects is not None:
            projects.redact()
    return diagnostics
