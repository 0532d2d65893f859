"""`trainc compile` and `trainc check`."""

from __future__ import annotations

import os
import sys

from trainc import driver
from trainc.cli import inputs
from trainc.cli.guard import OK, WRONG_INPUT
from trainc.cli.streams import to_stderr
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, in_order
from trainc.driver import Compiled, Outcome


def compile_jobs(
    files: list[str],
    sets: list[str],
    options: dict[str, str | None],
    output: str,
    form: str,
    summary: bool,
    check: bool,
) -> int:
    """Compile, and write all manifests or none, or only compare them; returns the exit code."""
    outcome = _run(files, sets, options)
    _tell(outcome.diagnostics, "; nothing was written")
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


def check_jobs(files: list[str], sets: list[str], options: dict[str, str | None]) -> int:
    """Compile and keep the manifests; returns the exit code."""
    outcome = _run(files, sets, options)
    _tell(outcome.diagnostics)
    _render(outcome.jobs)
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


def _tell(diagnostics: list[Diagnostic], consequence: str = "") -> None:
    if not diagnostics:
        return
    from trainc.diagnostics.text import render

    text = render(diagnostics, _colour())
    errors = sum(diagnostic.severity == "error" for diagnostic in diagnostics)
    if errors:
        text += f"{errors} error{'s' if errors > 1 else ''}{consequence}\n"
    to_stderr(text)
