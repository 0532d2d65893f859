"""Output of diagnostics, in the format of the options."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

from trainc.cli.invocation import with_own_command
from trainc.cli.notices import add_diagnostics, notify
from trainc.cli.streams import to_stderr
from trainc.cli.terminal import has_color
from trainc.diagnostics.codes import Code
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.diagnostics.report import DOCUMENT_LIMIT, Report, bounded, count_of, title_of
from trainc.pages import page
from trainc.span import STDIN

_SHOWN = 3  # names of skipped files
_RELATIVE_LINK = r"\[([^][]+)\]\((?!\w+:)[^()\s]+\)"  # to another page, which code scanning doesn't have


def print_messages(
    diagnostics: list[Diagnostic],
    files: list[str],
    consequence: str,
    form: str,
    strict: bool,
    write: Callable[[str], None],
) -> None:
    """Print diagnostics by `write`; those in JSON for stderr go to the document of all messages of the command."""
    diagnostics = with_own_command(diagnostics)
    if form == "json" and write is to_stderr:
        add_diagnostics(bounded(diagnostics, DOCUMENT_LIMIT))
        return
    report = Report(
        diagnostics=diagnostics,
        files=[STDIN if name == "-" else name for name in dict.fromkeys(files)],
        consequence=consequence,
        strict=strict,
        color=has_color(sys.stderr),
        page=_page,
    )
    write(report.text(form))


def print_skipped(names: list[str]) -> None:
    """Print the names of the first files that have no job."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    files = count_of(len(names), "file")
    notify("files-skipped", f"skipped {files} without a job: {', '.join(names[:_SHOWN])}{more}", severity="note")


def _page(code: Code) -> tuple[str, str]:
    """Return title and text of a code's page."""
    if not code.has_page:
        return title_of(code)
    own = page(code)
    return own.title, re.sub(_RELATIVE_LINK, r"\1", own.body.strip())
