"""Formats of `trainc plan`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from trainc.cli.output import choose_format
from trainc.cli.terminal import text_width
from trainc.compiled import Compiled
from trainc.plan.formats.report import report
from trainc.plan.plan import Plan
from trainc.report.text import text
from trainc.typenames import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainc.project.projects import Projects

_EXTENSIONS = {
    ".svg": "svg",
    ".html": "html",
    ".png": "png",
    ".json": "json",
    ".md": "markdown",
    ".mmd": "mermaid",
    ".txt": "text",
}
# Formats beside those of a report: module of trainc.plan.formats and its function.
_OTHERS = {
    "json": ("json_document", "to_json"),
    "mermaid": ("mermaid", "mermaid"),
    "svg": ("svg", "svg"),
    "html": ("html_page", "html_page"),
}
_DEFAULT_WIDTH = 100  # columns of the text


def select_format(output: str, requested: str | None) -> str:
    """Return the format of the output. Raises InvalidParameter for one that this machine can't write."""
    form = choose_format(output, requested, _EXTENSIONS, "text")
    if form == "png":
        from trainc.cli.commands.plan.png import require_converter

        require_converter()
    return form


def format_plans(plans: list[Plan], form: str, jobs: list[Compiled], projects: Projects | None) -> str | bytes:
    """Return the plans in a format; a page has the manifests of compiled jobs, too.

    A text has the values that jobs get from a project file or the entry of a cluster.
    """
    if form == "png":
        from trainc.cli.commands.plan.png import to_png

        return to_png(_format(plans, "svg"))
    if form == "html" and jobs:
        from trainc.cli.commands.plan.listings import listings

        return _format(plans, form, listings(jobs))
    if form in ("text", "markdown") and (projects is not None or any(job.target.places for job in jobs)):
        from trainc.cli.inherited_values import inherited_facts

        return _format(plans, form, [inherited_facts(job) for job in jobs])
    return _format(plans, form)


def _format(plans: list[Plan], form: str, *more: Any) -> str:
    if form in _OTHERS:
        module, function = _OTHERS[form]
        write: Callable[..., str] = getattr(import_module(f"trainc.plan.formats.{module}"), function)
        return write(plans, *more)
    documents = [report(each) for each in plans]
    for facts in more:  # of the jobs
        documents = [each.replace(blocks=(*each.blocks, *own)) for each, own in zip(documents, facts, strict=True)]
    if form == "markdown":
        from trainc.report.markdown import markdown

        return markdown(documents)
    return text(documents, text_width(_DEFAULT_WIDTH))
