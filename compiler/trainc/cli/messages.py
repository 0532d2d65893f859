"""Which diagnostics are told, in what form, and whether a run passes."""

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

# Read whole by a program, also when nothing is wrong. Of the other forms, nothing said is nothing written.
DOCUMENTS = ("json", "sarif", "junit")


class Messages(Record):
    """What the options say; `form` is None when it wasn't given, codes are as they were typed."""

    form: str | None
    strict: bool
    select: list[str]
    ignore: list[str]

    @property
    def are_a_document(self) -> bool:
        """Whether a program reads them."""
        return self.form in DOCUMENTS

    def chosen(self, outcome: Outcome) -> Outcome:
        """The outcome with what is to be told. Ends with a usage error for a code that there is not."""
        if not self.select and not self.ignore:
            return outcome
        from trainc.diagnostics.silence import chosen, unknown

        for option, given in (("--select", self.select), ("--ignore", self.ignore)):
            for word in unknown(given):
                raise typer.BadParameter(f"there is no code {word!r}; `trainc explain` lists them", param_hint=option)
        return outcome.replace(diagnostics=chosen(outcome.diagnostics, self.select, self.ignore))

    def passes(self, outcome: Outcome) -> bool:
        """Whether nothing is an error, nor with --strict a warning."""
        warned = self.strict and any(diagnostic.severity == "warning" for diagnostic in outcome.diagnostics)
        return outcome.ok and not warned

    def text(self, outcome: Outcome, files: list[str], consequence: str = "") -> str:
        """What is to be said, in the form that was asked for."""
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
