"""Options for diagnostics: format, selection, and whether a run passes."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import typer

from trainc.cli.inputs import display_names
from trainc.driver import Outcome
from trainc.record import Record

if TYPE_CHECKING:
    from trainc.diagnostics.codes import Code

# Documents for programs, written also when there are no diagnostics.
DOCUMENTS = ("json", "sarif", "junit")


class Messages(Record):
    """Options; `form` is None for the default, codes are as typed."""

    form: str | None
    strict: bool
    select: list[str]
    ignore: list[str]

    @property
    def are_a_document(self) -> bool:
        """Return whether the format is a document for programs."""
        return self.form in DOCUMENTS

    def chosen(self, outcome: Outcome) -> Outcome:
        """Return the outcome with the selected diagnostics. Raises BadParameter for an unknown code."""
        if not self.select and not self.ignore:
            return outcome
        from trainc.diagnostics.silence import select_codes, unknown_codes

        for option, words in (("--select", self.select), ("--ignore", self.ignore)):
            for word in unknown_codes(words):
                raise typer.BadParameter(f"unknown code {word!r}: `trainc explain` lists the codes", param_hint=option)
        return outcome.replace(diagnostics=select_codes(outcome.diagnostics, self.select, self.ignore))

    def passes(self, outcome: Outcome) -> bool:
        """Return whether there is no error and, with --strict, no warning."""
        warned = self.strict and any(diagnostic.severity == "warning" for diagnostic in outcome.diagnostics)
        return outcome.ok and not warned

    def text(self, outcome: Outcome, files: list[str], consequence: str = "") -> str:
        """Return the diagnostics in the requested format."""
        # https://docs.github.com/en/actions/reference/workflows-and-actions/variables
        form = self.form or ("github" if os.environ.get("GITHUB_ACTIONS") == "true" else "full")
        if not outcome.diagnostics and form not in DOCUMENTS:
            return ""
        from trainc.diagnostics.report import Report

        report = Report(
            diagnostics=outcome.diagnostics,
            files=display_names(files),
            consequence=consequence,
            strict=self.strict,
            colour=_colour(),
            title=_title,
        )
        return report.text(form)


def _colour() -> bool:
    if sys.stderr is None or not sys.stderr.isatty():
        return False
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"  # https://no-color.org


def _title(code: Code) -> str:
    from trainc.catalogue.page import page

    return page(code).title
