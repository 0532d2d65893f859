"""`trainc plan`: what the manifests of jobs will make of a cluster, for people and for programs."""

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
# As wide as a table is still read at a glance, and as narrow as a terminal may be.
_NARROW, _USUAL, _WIDE = 80, 100, 120


def show(
    files: list[str],
    sets: list[str],
    target: Target,
    form: str | None,
    output: str,
    messages: Messages,
    manifests: bool = False,
) -> int:
    """Compile, and write the plan of what came of it; returns the exit code. With --strict a finding fails it.

    `manifests` are planned as they stand.
    """
    picture = output.rpartition(".")[2] if output.endswith(tuple(f".{one}" for one in _PICTURES)) else None
    if picture and form:
        raise typer.BadParameter(f"{output} says that it is {picture.upper()}", param_hint="--format")
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
    text = _text(plans, picture or form or "text")
    write_text(text, output)
    return WRONG_INPUT if messages.strict and any(one.findings for one in plans) else OK


def _text(plans: list[Plan], form: str) -> str:
    if form == "json":
        from trainc.plan.formats.json_document import to_json

        return to_json(plans)
    if form == "mermaid":
        from trainc.plan.formats.mermaid import mermaid

        return mermaid(plans)
    if form == "markdown":
        from trainc.plan.formats.markdown import markdown

        return "\n".join(markdown(one) for one in plans)
    if form == "svg":
        from trainc.plan.formats.svg import svg

        return svg(plans)
    if form == "html":
        from trainc.plan.formats.html_page import html_page

        return html_page(plans)
    from trainc.plan.formats.text import text

    return "\n".join(text(one, _width()) for one in plans)


def _width() -> int:
    """A terminal's, within bounds; elsewhere always the same, so that the same input gives the same bytes."""
    if sys.stdout is None or not sys.stdout.isatty():
        return _USUAL
    return min(_WIDE, max(_NARROW, shutil.get_terminal_size((_USUAL, 24)).columns))
