"""Options for diagnostics: format, selection, and whether a run passes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from trainc.cli.exit_codes import WRONG_INPUT
from trainc.cli.parameters import InvalidParameter
from trainc.cli.streams import to_stderr
from trainc.compiled import Outcome
from trainc.diagnostics.diagnostic import Diagnostic, in_order
from trainc.record import Record
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.project.projects import Projects

# Documents for programs, written also when there are no diagnostics.
DOCUMENTS = ("json", "sarif", "junit")


class Messages(Record):
    """Options; `form` is None for the default, codes are as typed."""

    form: str | None
    strict: bool
    select: list[str]
    ignore: list[str]
    quiet: bool = False

    @property
    def are_a_document(self) -> bool:
        """Return whether the format is a document for programs."""
        return self.form in DOCUMENTS

    @property
    def are_annotations(self) -> bool:
        """Return whether the format is that of GitHub Actions, where it is the default.

        https://docs.github.com/en/actions/reference/workflows-and-actions/variables
        """
        return self.form == "github" or (self.form is None and os.environ.get("GITHUB_ACTIONS") == "true")

    def require_stderr(self, options: Mapping[str, object], with_json: bool = False) -> None:
        """Raise InvalidParameter for an option that is set and writes to stderr, if that has the document.

        `with_json`: its messages are part of a document in JSON.
        """
        for option, value in options.items():
            if value and self.are_a_document and not (with_json and self.form == "json"):
                problem = f"it writes to stderr, which has the document of --message-format {self.form}"
                raise InvalidParameter(problem, option)

    def of_project(self, projects: Projects | None) -> Messages:
        """Return the options with the format of a project file where no option has one."""
        form = projects.message_format if projects is not None and self.form is None else None
        if form == "json":
            from trainc.cli.notices import collect

            collect()
        return self if form is None else self.replace(form=form)

    def report(
        self, outcome: Outcome, files: list[str], consequence: str = "", write: Callable[[str], None] = to_stderr
    ) -> bool:
        """Print the selected diagnostics; return whether there is no error and, with --strict, no warning.

        Raises InvalidParameter for an unknown code.
        """
        diagnostics = self.selected(outcome.diagnostics)
        is_collected = self.form == "json" and write is to_stderr
        is_document = self.are_a_document and not is_collected
        skipped = [] if self.quiet or (is_document and write is to_stderr) else outcome.skipped
        failing = ("error", "warning") if self.strict else ("error",)
        failures = [diagnostic for diagnostic in diagnostics if diagnostic.severity in failing]
        printed = failures if self.quiet else diagnostics
        if printed or skipped or is_document:
            from trainc.cli.message_output import print_messages, print_skipped

            if skipped:
                print_skipped(skipped)
            if printed or self.are_a_document:
                form = self.form or ("github" if self.are_annotations else "full")
                print_messages(printed, files, consequence, form, self.strict, write)
        return not failures

    def report_failure(
        self, diagnostics: Iterable[Diagnostic], files: Sequence[str] = (), consequence: str = ""
    ) -> int:
        """Print the errors of what a command needs before its jobs; return the exit code."""
        self.report(Outcome(jobs=[], diagnostics=in_order(diagnostics)), list(files), consequence)
        return WRONG_INPUT

    def selected(self, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
        """Return the diagnostics that the options select. Raises BadParameter for an unknown code."""
        if not self.select and not self.ignore:
            return diagnostics
        from trainc.diagnostics.silence import select_codes, unknown_codes

        for option, words in (("--select", self.select), ("--ignore", self.ignore)):
            for word in unknown_codes(words):
                raise InvalidParameter(f"unknown code {word!r}: `trainc explain` lists the codes", option)
        return select_codes(diagnostics, self.select, self.ignore)
