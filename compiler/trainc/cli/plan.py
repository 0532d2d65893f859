"""`trainc plan`: plan the manifests of jobs, and write the plan in one of its formats."""

from __future__ import annotations

import shutil
import sys

import typer

from trainc.cli.compile import run
from trainc.cli.guard import OK, WRONG_INPUT
from trainc.cli.messages import Messages
from trainc.cli.output import write_text
from trainc.cli.streams import to_stderr
from trainc.plan.plan import Plan, plan
from trainc.target import Target

_PICTURES = ("svg", "html")
_MIN_WIDTH, _DEFAULT_WIDTH, _MAX_WIDTH = 80, 100, 120  # columns of the text


def show(
    files: list[str],
    sets: list[str],
    target: Target,
    form: str | None,
    output: str,
    messages: Messages,
    manifests: bool = False,
) -> int:
    """Write the plan of the compiled jobs, or of `manifests`, and return the exit code."""
    picture = output.rpartition(".")[2] if output.endswith(tuple(f".{ending}" for ending in _PICTURES)) else None
    if picture and form:
        raise typer.BadParameter(f"conflicts with the output {output}, a picture", param_hint="--format")
    plans: list[Plan] = []
    if manifests:
        from trainc.cli.manifests import plans as read

        plans, outcome = read(files, sets, target)
    else:
        outcome = run(files, sets, target)
    outcome = messages.chosen(outcome)
    to_stderr(messages.text(outcome, files, "; nothing was planned"))
    if not messages.passes(outcome):
        return WRONG_INPUT
    plans += [plan([manifest.data() for manifest in job.manifests()]) for job in outcome.jobs]
    write_text(_format(plans, picture or form or "text"), output)
    return WRONG_INPUT if messages.strict and any(each.findings for each in plans) else OK


def _format(plans: list[Plan], form: str) -> str:
    if form == "json":
        from trainc.plan.formats.json_document import to_json

        return to_json(plans)
    if form == "mermaid":
        from trainc.plan.formats.mermaid import mermaid

        return mermaid(plans)
    if form == "markdown":
        from trainc.plan.formats.markdown import markdown

        return "\n".join(markdown(each) for each in plans)
    if form == "svg":
        from trainc.plan.formats.svg import svg

        return svg(plans)
    if form == "html":
        from trainc.plan.formats.html_page import html_page

        return html_page(plans)
    from trainc.plan.formats.text import text

    return "\n".join(text(each, _width()) for each in plans)


def _width() -> int:
    """Return the terminal's width within bounds; a constant outside a terminal, so that output is reproducible."""
    if sys.stdout is None or not sys.stdout.isatty():
        return _DEFAULT_WIDTH
    return min(_MAX_WIDTH, max(_MIN_WIDTH, shutil.get_terminal_size((_DEFAULT_WIDTH, 24)).columns))
