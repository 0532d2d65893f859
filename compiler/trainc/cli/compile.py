"""`trainc compile` and `trainc check`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import typer

from trainc import driver
from trainc.cli import inputs
from trainc.cli.guard import OK, WRONG_INPUT
from trainc.cli.streams import to_stderr, to_stdout
from trainc.diagnostics.diagnostic import Rejected, in_order
from trainc.driver import Compiled, Outcome

if TYPE_CHECKING:
    from trainc.diagnostics.codes import Code

# Read whole by a program, also when nothing is wrong. Of the other forms, nothing said is nothing written.
DOCUMENTS = ("json", "sarif", "junit")


def compile_jobs(
    files: list[str],
    sets: list[str],
    options: dict[str, str | None],
    output: str,
    form: str,
    message_form: str | None,
    summary: bool,
    check: bool,
) -> int:
    """Compile, and write all manifests or none, or only compare them; returns the exit code."""
    for option, given in (("--summary", summary), ("--check", check)):
        if given and message_form in DOCUMENTS:
            problem = f"stderr would hold more than the document that --message-format {message_form} is"
            raise typer.BadParameter(problem, param_hint=option)
    outcome = _run(files, sets, options)
    to_stderr(_said(outcome, files, message_form, "; nothing was written"))
    if not outcome.ok:
        return WRONG_INPUT
    if check:
        from trainc.cli.compare import compare

        return compare(outcome.jobs, output, form)
    from trainc.cli.output import write

    write(outcome.jobs, output, form)
    if summary:
        from trainc.cli.summary import summarise

        to_stderr(summarise(outcome.jobs, files, sets, options, output))
    return OK


def check_jobs(files: list[str], sets: list[str], options: dict[str, str | None], message_form: str | None) -> int:
    """Compile and keep the manifests; returns the exit code. A document is the command's result, so it is printed."""
    outcome = _run(files, sets, options)
    _render(outcome.jobs)
    text = _said(outcome, files, message_form)
    if message_form in DOCUMENTS:
        to_stdout(text)
    else:
        to_stderr(text)
    return OK if outcome.ok else WRONG_INPUT


def _run(files: list[str], sets: list[str], options: dict[str, str | None]) -> Outcome:
    target = inputs.target(options)
    try:
        changes = inputs.overrides(sets)
    except Rejected as rejected:
        return Outcome(jobs=[], diagnostics=in_order(rejected.diagnostics))
    sources, unread = inputs.sources(files)
    outcome = driver.run(sources, target, changes)
    return Outcome(jobs=[], diagnostics=in_order([*unread, *outcome.diagnostics])) if unread else outcome


def _render(jobs: list[Compiled]) -> None:
    """A check has seen the manifests, too: a template that fails must not fail first at compile."""
    for job in jobs:
        job.manifests()


def _colour() -> bool:
    if sys.stderr is None or not sys.stderr.isatty():
        return False
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"  # https://no-color.org


def _said(outcome: Outcome, files: list[str], form: str | None, consequence: str = "") -> str:
    """What is to be said, in the form that was asked for."""
    # https://docs.github.com/en/actions/reference/workflows-and-actions/variables
    form = form or ("github" if os.environ.get("GITHUB_ACTIONS") == "true" else "full")
    if not outcome.diagnostics and form not in DOCUMENTS:
        return ""
    from trainc.diagnostics.report import Report

    report = Report(
        diagnostics=outcome.diagnostics,
        files=inputs.names(files),
        consequence=consequence,
        colour=_colour(),
        title=_title,
    )
    return report.text(form)


def _title(code: Code) -> str:
    from trainc.catalogue.page import page

    return page(code).title
